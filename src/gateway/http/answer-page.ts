/**
 * The page behind an approver's link: the call as it will run, and two buttons. Opening it answers nothing, since
 * chat programs open links for previews.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { SluicegateError } from "../../errors/index.ts";
import { parseJson } from "../../json/parse-json.ts";
import { toVisible, toVisibleJson } from "../../json/visible-json.ts";
import { unknownSession, type WaitingApproval } from "../../runtime/index.ts";
import { toWireWaiting } from "../rest/wire-approval.ts";
import type { Service } from "../service.ts";
import { answerWithPage, escapeHtml, type PageRequest, page } from "./plain-page.ts";
import { readText } from "./read-body.ts";
import { accessOf, assertMay } from "./rights.ts";

const PATH = "/answer/";
const MAX_FORM_BYTES = 8192;

/** The approver and the approval of a link. Both are signed in the link, so nothing is stored. */
interface Link {
  readonly approval: string;
  readonly approver: string;
}

/** Creates and reads links. A link works while its approval waits for the approver's answer. */
export class AnswerLinks {
  readonly #key: KeyObject;

  /** @param key the gateway's, shared by all gateways on a store */
  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  path({ approval, approver }: Link): string {
    const named = Buffer.from(JSON.stringify([approval, approver])).toString("base64url");
    return `${PATH}${named}.${this.#sign(named)}`;
  }

  /** Null for a path that wasn't created here. */
  read(path: string): Link | null {
    const [, named = "", signature = ""] = /^\/answer\/([\w-]+)\.([\w-]{43})$/.exec(path) ?? [];
    const expected = Buffer.from(this.#sign(named));
    if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), expected))
      return null;
    const [approval, approver] = parseJson<readonly [string, string]>(
      Buffer.from(named, "base64url").toString(),
    );
    return { approval, approver };
  }

  #sign(named: string): string {
    return createHmac("sha256", this.#key).update(`answer-link:${named}`).digest("base64url");
  }
}

/** The answer to a link; null for another address. */
export function answerAnswerPage(
  service: Service,
  { request, path }: PageRequest,
): (() => Promise<Response>) | null {
  if (service.links === null || !path.startsWith(PATH)) return null;
  const link = service.links.read(path);
  if (link === null) return () => answerWithPage("Nothing to answer", () => Promise.reject(badLink()));
  if (request.method === "GET" || request.method === "HEAD")
    return () => answerWithPage("Nothing to answer", () => show(service, link));
  if (request.method !== "POST") return null;
  return () => answerWithPage("Not answered", () => answer(service, link, request));
}

async function show(service: Service, { approval, approver }: Link): Promise<Response> {
  assertMayApprove(service, approver);
  const found = await service.gate.approval(approval);
  if ("outcome" in found) return over(found.outcome, found.by);
  const session = await service.gate.session(found.session);
  if (session === null) throw unknownSession();
  const { what } = toWireWaiting(service.gate.policy, session.state, found);
  return page(200, "A call waits for you", describe(found, what, approver));
}

async function answer(service: Service, { approval, approver }: Link, request: Request): Promise<Response> {
  assertMayApprove(service, approver);
  const form = new URLSearchParams(await readText(request, MAX_FORM_BYTES));
  const given = form.get("answer");
  if (given !== "approved" && given !== "denied") throw badLink();
  const why = form.get("why")?.trim();
  const found = await service.gate.approval(approval);
  // Only here: a program that previews a link doesn't show it to the approver.
  if (!("outcome" in found)) await service.gate.recordShown(found, "link");
  const { outcome, by } = await service.gate.answerApproval(approval, {
    answer: given,
    by: approver,
    via: "console",
    ...(why && { why }),
  });
  return over(outcome, by);
}

/** The approver's present rights count, not those at the time of the link. */
function assertMayApprove({ authority }: Service, approver: string): void {
  const caller = authority.principalNamed(approver);
  if (caller === null) throw badLink();
  assertMay(caller, accessOf("POST /v1/approvals/{approval}/approve"));
}

const over = (outcome: string, by: string | null): Response => {
  const words =
    outcome === "pending" ? "Your yes counts; others must say yes too." : `The call is ${outcome}.`;
  return page(
    200,
    "Answered",
    `<p>${escapeHtml(words)}${by === null ? "" : ` By ${escapeHtml(toVisible(by))}.`}</p>`,
  );
};

function describe(
  { arguments: args, why, targets, preview, expiresAt, session }: WaitingApproval,
  what: string,
  approver: string,
): string {
  const line = (name: string, value: string): string =>
    `<p><b>${name}</b> ${escapeHtml(toVisible(value))}</p>`;
  const block = (name: string, value: string): string =>
    `<p><b>${name}</b></p><pre dir="ltr">${escapeHtml(value)}</pre>`;
  return [
    `<p>${escapeHtml(toVisible(what))}</p>`,
    ...why.map((sentence) => `<p>${escapeHtml(toVisible(sentence))}</p>`),
    block("Arguments", toVisibleJson(args, 2)),
    ...(targets.length > 0 ? [block("Files", targets.map((path) => toVisible(path)).join("\n"))] : []),
    ...(preview === null ? [] : [block("What it changes", toVisible(preview))]),
    line("Session", session),
    line("Until", expiresAt),
    line("You answer as", approver),
    '<form method="post"><p><label>Why, if you like: <input name="why" maxlength="500" autocomplete="off"></label></p>',
    '<p><button name="answer" value="approved">Approve this call</button> <button name="answer" value="denied">Deny</button></p></form>',
  ].join("");
}

const badLink = (): SluicegateError =>
  new SluicegateError("not-found", "This link answers nothing.", {
    why: "It is cut or changed, or its approver may not approve any more.",
    fix: "Open it as it was sent, or answer in the console.",
  });
