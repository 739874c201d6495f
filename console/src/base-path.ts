/**
 * What the addresses of this gateway begin with, such as `/sluicegate`; mostly nothing. The page's own script lies one
 * folder below that, and a page that was opened without it (past the proxy) works without it.
 */
const served = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

export const BASE_PATH = `${location.pathname}/`.startsWith(`${served}/`) ? served : "";
