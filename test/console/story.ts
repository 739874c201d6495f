/** Sessions as a day brings them, for pages that are to be looked at in every state. */
import type { ConsoleGateway } from "./console-gateway.ts";
import type { Story } from "./page-states.ts";

/** Tells it: calls of every verdict, and approvals of every kind. */
export async function tellStory(gateway: ConsoleGateway): Promise<Story> {
  const { open, call, decide } = gateway;
  const blocked = await open({ principal: "ada", role: "analyst", task: "Compare our mail with the news" });
  await call(blocked, "web_search", { query: "sluice gates" });
  await call(blocked, "search_email", { query: "prices" });
  await call(blocked, "web_search", { query: "prices" });
  await call(blocked, "delete_everything", {});
  const over = await call(await open({ principal: "ken" }), "send_mail", { to: "ann@example.org" });
  await gateway.request("POST", `/v1/approvals/${over.approval.id}/deny`, { via: "console", why: "Not yet" });
  const done = await call(await open({ principal: "radia" }), "send_mail", { to: "bob@example.org" });
  await gateway.request("POST", `/v1/approvals/${done.approval.id}/approve`, { via: "terminal" });
  const writer = await open({ principal: "linus" });
  const content = "export const rate = 0.07;\nexport const currency = 'EUR';\n";
  const write = await call(writer, "Write", { file_path: "price.ts", content });
  await call(writer, "Write", { file_path: "other.ts", content });
  const releasing = await open({ principal: "grace" });
  await call(releasing, "search_email", { query: "prices" });
  await call(releasing, "slack_post", { channel: "general", text: "The new prices are out." });
  const folded = await open({ principal: "margaret", role: "clerk" });
  await call(folded, "send_mail", {
    to: ["ann@example.org"],
    body: `Dear Ann,\n${"all is well. ".repeat(900)}`,
  });
  const strange = await open({ principal: "eve" });
  await call(strange, "send_mail", {
    to: "invoice\u202Efdp.exe",
    body: "<img src=x onerror=alert(1)>\u200B",
  });
  await decide(await open({ principal: "barbara" }), "wire_transfer", { amount: 12_500, to: "ACME" });
  const secret = await open({ principal: "donald" });
  await call(secret, "read_customers", { id: 7 });
  await call(secret, "github_create_pr", { title: "Customers" });
  await gateway.request("POST", `/v1/session/${(await open({ principal: "old" })).session_id}/reset`, {});
  const fresh = await open({ principal: "planner" });
  return { blocked, fresh, waiting: write.approval.id, ended: over.approval.id };
}
