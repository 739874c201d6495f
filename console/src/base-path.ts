/**
 * The prefix of this gateway's addresses, such as `/sluicegate`; usually empty. The page's own script is one folder
 * below it, and a page that was opened directly, past the proxy, works without it.
 */
const served = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

export const BASE_PATH = `${location.pathname}/`.startsWith(`${served}/`) ? served : "";
