/** Turns arguments into a request: path, query, headers and body. Sends nothing. */
import type { JsonObject } from "../../../runtime/index.ts";
import type { ApiOptions, ApiTool, Parameter } from "../api-tool.ts";
import { type BaseUrl, isWithinBase } from "../base-url.ts";
import { checkInput } from "../check-input.ts";
import type { LeadsElsewhere } from "../document/other-operations.ts";
import { hasDotSegment, parsePathTemplate } from "../document/path-template.ts";
import { fieldOf } from "../json-value.ts";
import type { Reserved } from "./credentials.ts";
import { writeBody } from "./write-body.ts";
import {
  encodePair,
  toCookie,
  toHeaderValue,
  toPairs,
  toPathPart,
  WrongArgument,
} from "./write-parameter.ts";

/** A request to send. It contains the operator's credentials, so it must not be shown. */
export interface ApiRequest {
  /** In upper case. */
  readonly method: string;
  /** Path and query, exactly as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface RequestContext {
  readonly base: BaseUrl;
  readonly reserved: Reserved;
  readonly leadsElsewhere: LeadsElsewhere;
  readonly options: Pick<ApiOptions, "headers" | "query">;
}

const MAX_TARGET_LENGTH = 64 * 1024;

/** @throws WrongArgument with the problem. */
export function writeRequest(context: RequestContext, tool: ApiTool, args: JsonObject): ApiRequest {
  const problems = checkInput(tool.offered.inputSchema, args);
  if (problems.length > 0) throw new WrongArgument(problems.join(" "));
  const { base, options } = context;
  const body =
    tool.body === null || fieldOf(args, tool.body.argument) === undefined
      ? null
      : writeBody(tool.body, args[tool.body.argument], context.reserved);
  const path = writePath(tool, args);
  if (context.leadsElsewhere(tool.operation, path, "arguments")) {
    throw new WrongArgument(
      "The arguments make the path of another operation; call that one, if it is offered.",
    );
  }
  const target = `${base.path}${path}${writeQuery(context, tool, args)}`;
  // INVARIANT: checked although the target was built that way, because a mistake must not lead out of the API.
  if (!isWithinBase(base, target) || target.length > MAX_TARGET_LENGTH || /[^\x21-\x7e]/.test(target)) {
    throw new WrongArgument("The arguments make an address that is too long, or outside of the API.");
  }
  return {
    method: tool.operation.method.toUpperCase(),
    target,
    headers: {
      accept: "application/json, text/*;q=0.8, */*;q=0.5",
      "accept-encoding": "gzip, br",
      "user-agent": "sluicegate",
      ...writeHeaders(tool, args),
      ...lowerCased(options.headers),
      ...(body && { "content-type": body.contentType, "content-length": String(body.bytes.length) }),
    },
    body: body?.bytes ?? null,
  };
}

function writePath({ operation, parameters }: ApiTool, args: JsonObject): string {
  const { texts, names } = parsePathTemplate(operation.path);
  const parts = names.map((name) => {
    const parameter = parameters.find((one) => one.place === "path" && one.name === name);
    if (parameter === undefined) throw new WrongArgument("The path has a parameter that can't be set.");
    const part = toPathPart(parameter, fieldOf(args, parameter.argument));
    // THREAT: some servers decode slashes before they route, so an encoded value could lead upwards.
    if (hasDotSegment(part)) {
      throw new WrongArgument(
        `\`${parameter.argument}\` holds a dot segment (\`.\`, \`..\`), which would lead elsewhere.`,
      );
    }
    if (/%(?:[01]|7F)/.test(part)) {
      throw new WrongArgument(
        `\`${parameter.argument}\` has characters that no path can have, such as a line break.`,
      );
    }
    return part;
  });
  const path = texts.map((text, index) => `${text}${parts[index] ?? ""}`).join("");
  if (hasDotSegment(path)) throw new WrongArgument("The arguments make a dot segment of the path.");
  return path;
}

function writeQuery(
  { reserved, options }: RequestContext,
  { parameters }: ApiTool,
  args: JsonObject,
): string {
  const own = parameters
    .filter(({ place }) => place === "query")
    .flatMap((parameter) => writePairs(reserved, parameter, fieldOf(args, parameter.argument)));
  const fixed = Object.entries(options.query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  const pairs = [...own, ...fixed];
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** THREAT: field names of an object become names in the query; none may replace a credential. */
function writePairs(reserved: Reserved, parameter: Parameter, value: unknown): string[] {
  return toPairs(parameter, value).map((pair) => {
    if (reserved.has("query", pair.name)) {
      throw new WrongArgument(`\`${parameter.argument}\` would set a parameter that is the operator's.`);
    }
    return encodePair(pair, parameter.argument);
  });
}

function writeHeaders({ parameters }: ApiTool, args: JsonObject): Record<string, string> {
  const headers: [string, string][] = [];
  const cookies: string[] = [];
  for (const parameter of parameters) {
    const value = fieldOf(args, parameter.argument);
    if (parameter.place === "header") {
      const text = toHeaderValue(parameter, value);
      if (text !== null) headers.push([parameter.name.toLowerCase(), text]);
    }
    if (parameter.place === "cookie") {
      const cookie = toCookie(parameter, value);
      if (cookie !== null) cookies.push(cookie);
    }
  }
  if (cookies.length > 0) headers.push(["cookie", cookies.join("; ")]);
  return Object.fromEntries(headers);
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
