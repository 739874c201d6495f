/**
 * Bodies that two parsers read differently, or that have another shape than was decided on. Each is tried twice: as
 * a way out of a raised session, and as a way in that leaves the session clean. The gateway must survive them all.
 */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, type Outcome } from "../check.ts";

/** One way of writing a call. `name` and `args` are JSON texts; `decoy` is a tool that may always be called. */
type Write = (call: {
  readonly name: string;
  readonly args: string;
  readonly decoy: string;
  readonly meta: string;
}) => string | Uint8Array;

type Rows = Readonly<Record<string, Write>>;

const wrap = (params: string, head = `"jsonrpc":"2.0","id":77,"method":"tools/call"`): string =>
  `{${head},"params":${params}}`;
const plain = (name: string, args: string, meta: string): string =>
  wrap(`{"name":${name},"arguments":${args}${meta}}`);
const unquoted = (json: string): string => json.slice(1, -1);
const DEEP = 20_000;

const NAMES: Rows = {
  "a list": ({ name, args, meta }) => plain(`[${name}]`, args, meta),
  "an object": ({ name, args, meta }) => plain(`{"toString":${name},"name":${name}}`, args, meta),
  "a list of decoy and name": ({ name, args, decoy, meta }) => plain(`[${decoy},${name}]`, args, meta),
  "spaces around": ({ name, args, meta }) => plain(`" ${unquoted(name)}  "`, args, meta),
  "a NUL after": ({ name, args, meta }) => plain(`"${unquoted(name)}\\u0000"`, args, meta),
  "a NUL and a decoy": ({ name, args, decoy, meta }) =>
    plain(`"${unquoted(decoy)}\\u0000${unquoted(name)}"`, args, meta),
  "full width": ({ name, args, meta }) => plain(`"${widen(unquoted(name))}"`, args, meta),
  "a zero width joiner": ({ name, args, meta }) =>
    plain(`"${unquoted(name).slice(0, 2)}\\u200d${unquoted(name).slice(2)}"`, args, meta),
  "a lone surrogate": ({ name, args, meta }) => plain(`"${unquoted(name)}\\ud800"`, args, meta),
  "a newline after": ({ name, args, meta }) => plain(`"${unquoted(name)}\\r\\n"`, args, meta),
  "a decoy before a slash": ({ name, args, decoy, meta }) =>
    plain(`"${unquoted(decoy)}/../${unquoted(name)}"`, args, meta),
  "100,000 characters": ({ name, args, meta }) =>
    plain(`"${unquoted(name)}${"_".repeat(100_000)}"`, args, meta),
};

const widen = (text: string): string =>
  [...text]
    .map((char) => (/[!-~]/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char))
    .join("");

const ARGUMENTS: Rows = {
  "a list": ({ name, args, meta }) => plain(name, `[${args}]`, meta),
  "a text": ({ name, args, meta }) => plain(name, JSON.stringify(args), meta),
  null: ({ name, args, meta }) => wrap(`{"name":${name},"arguments":null,"text":${args}${meta}}`),
  "a number": ({ name, args, meta }) => wrap(`{"name":${name},"arguments":1,"args":${args}${meta}}`),
  "values in lists": ({ name, args, meta }) => plain(name, args.replace(/:(".*")\}$/, ":[$1]}"), meta),
  "values in objects": ({ name, args, meta }) => plain(name, args.replace(/:(".*")\}$/, ':{"a":$1}}'), meta),
  "a lone surrogate": ({ name, args, meta }) => plain(name, args.replace(/"\}$/, '\\udc00"}'), meta),
  "a huge number": ({ name, args, meta }) =>
    plain(name, args.replace(/\}$/, `,"n":${"9".repeat(400)},"e":1e999,"i":9007199254740993}`), meta),
};

const DUPLICATES: Rows = {
  "`name` twice, the decoy first": ({ name, args, decoy, meta }) =>
    wrap(`{"name":${decoy},"name":${name},"arguments":${args}${meta}}`),
  "`name` twice, the decoy last": ({ name, args, decoy, meta }) =>
    wrap(`{"name":${name},"arguments":${args},"name":${decoy}${meta}}`),
  "`name` twice, once escaped": ({ name, args, decoy, meta }) =>
    wrap(`{"name":${decoy},"n\\u0061me":${name},"arguments":${args}${meta}}`),
  "`Name` and `name`": ({ name, args, decoy, meta }) =>
    wrap(`{"name":${decoy},"Name":${name},"NAME":${name},"arguments":${args}${meta}}`),
  "`params` twice": ({ name, args, decoy, meta }) =>
    `{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":${decoy},"arguments":{}${meta}},"params":{"name":${name},"arguments":${args}${meta}}}`,
  "`method` twice": ({ name, args, meta }) =>
    wrap(
      `{"name":${name},"arguments":${args}${meta}}`,
      `"jsonrpc":"2.0","id":77,"method":"tools/list","method":"tools/call"`,
    ),
  "`arguments` twice": ({ name, args, meta }) =>
    wrap(`{"name":${name},"arguments":{},"arguments":${args}${meta}}`),
};

const PROTOTYPES: Rows = {
  "`__proto__` of the parameters": ({ name, args, decoy, meta }) =>
    wrap(`{"__proto__":{"name":${name},"arguments":${args}},"name":${decoy}${meta}}`),
  "`__proto__` alone": ({ name, args, meta }) =>
    wrap(`{"__proto__":{"name":${name},"arguments":${args}}${meta}}`),
  "`constructor.prototype`": ({ name, args, decoy, meta }) =>
    wrap(`{"constructor":{"prototype":{"name":${name}}},"name":${decoy},"arguments":${args}${meta}}`),
  "`__proto__` of the message": ({ name, args, meta }) =>
    `{"__proto__":{"method":"tools/call","params":{"name":${name},"arguments":${args}${meta}}},"jsonrpc":"2.0","id":77}`,
};

const ENCODINGS: Rows = {
  "a byte order mark": ({ name, args, meta }) => `\ufeff${plain(name, args, meta)}`,
  "UTF-16": ({ name, args, meta }) => Buffer.from(`\ufeff${plain(name, args, meta)}`, "utf16le"),
  "overlong and broken UTF-8": ({ name, args, meta }) =>
    Buffer.concat([Buffer.from([0xc0, 0xa0, 0xff]), Buffer.from(plain(name, args, meta))]),
  "broken UTF-8 in a value": ({ name, args, meta }) =>
    Buffer.concat([
      Buffer.from(plain(name, args, meta).slice(0, -1)),
      Buffer.from(`,"x":"`),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(`"}`),
    ]),
  "comments and a trailing comma": ({ name, args, meta }) => `/*x*/${plain(name, args, meta).slice(0, -1)},}`,
  "two documents": ({ name, args, decoy, meta }) => `${plain(decoy, "{}", meta)}\n${plain(name, args, meta)}`,
  "single quotes": ({ name, args, meta }) => plain(name, args, meta).replaceAll('"', "'"),
};

const SHAPES: Rows = {
  "an id that is null": ({ name, args, meta }) => plain(name, args, meta).replace('"id":77', '"id":null'),
  "an id that is an object": ({ name, args, meta }) => plain(name, args, meta).replace('"id":77', '"id":{}'),
  "no id": ({ name, args, meta }) => plain(name, args, meta).replace('"id":77,', ""),
  "no version": ({ name, args, meta }) => plain(name, args, meta).replace('"jsonrpc":"2.0",', ""),
  "a method in capitals": ({ name, args, meta }) =>
    plain(name, args, meta).replace("tools/call", "Tools/Call"),
  "a method with a space": ({ name, args, meta }) =>
    plain(name, args, meta).replace("tools/call", "tools/call "),
  "parameters as a list": ({ name, args }) => wrap(`[${name},${args}]`),
  "parameters as a text": ({ name, args, meta }) =>
    wrap(JSON.stringify(`{"name":${name},"arguments":${args}${meta}}`)),
  "a request and a result at once": ({ name, args, meta }) =>
    plain(name, args, meta).replace('"id":77', '"id":77,"result":{}'),
};

const EXTREMES: Rows = {
  "nested deep in arguments": ({ name, args, meta }) =>
    plain(name, args.replace(/\}$/, `,"d":${"[".repeat(DEEP)}${"]".repeat(DEEP)}}`), meta),
  "nested deep in objects": ({ name, args, meta }) =>
    plain(name, args.replace(/\}$/, `,"d":${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}}`), meta),
  "nested deep beside the call": ({ name, args, meta }) =>
    plain(name, args, meta).replace(/\}$/, `,"d":${"[".repeat(DEEP)}${"]".repeat(DEEP)}}`),
  "an unfinished nest": () => "[".repeat(1_000_000),
  "20,000 keys": ({ name, args, meta }) =>
    plain(
      name,
      args.replace(/\}$/, `,${Array.from({ length: 20_000 }, (_, index) => `"k${index}":0`).join(",")}}`),
      meta,
    ),
  "5 MiB of text": ({ name, args, meta }) =>
    plain(name, args.replace(/\}$/, `,"t":"${"x".repeat(5 * 1024 * 1024)}"}`), meta),
};

async function writeAs(agent: Agent, write: Write, tool: "read" | "send", value: string): Promise<void> {
  const [read, send] = [agent.nameOf("notes", "read_notes"), agent.nameOf("post", "send_message")];
  const [name, decoy] = tool === "read" ? [read, send] : [send, read];
  const { _meta } = agent.client.withEnvelope({});
  const call = {
    name: JSON.stringify(name),
    args: JSON.stringify(tool === "read" ? { page: value } : { text: value }),
    decoy: JSON.stringify(decoy),
    meta: _meta === undefined ? "" : `,"_meta":${JSON.stringify(_meta)}`,
  };
  const headers = agent.client.standardHeaders("tools/call", { name });
  await agent.client.raw(write(call), { headers });
}

async function runRows(rows: Rows, { open, openRaised, isAlive, world }: Arena): Promise<Outcome> {
  const raised = await openRaised();
  for (const [what, write] of Object.entries(rows)) {
    const [text, page, after] = [mark(), mark(), mark()];
    await writeAs(raised, write, "send", text);
    if (world.left(text)) return bypassed(`\`${text}\` reached \`post\` from a raised session: ${what}`);
    const clean = await open();
    await writeAs(clean, write, "read", page);
    if (clean.wasGiven(page) && (await clean.send(after)))
      return bypassed(
        `the client was given \`${clean.canary(page)}\` unnoticed, then sent \`${after}\`: ${what}`,
      );
  }
  return (await isAlive()) ? HELD : bypassed("the gateway answers no more");
}

const check = (id: string, attack: string, rows: Rows): Check => ({
  id,
  must: "run exactly what it decided on, or nothing, and survive",
  attack,
  run: (arena) => runRows(rows, arena),
});

export const BODY_CHECKS: readonly Check[] = [
  check("body-names", "writes the tool's name as a list, an object, with NUL, in full width, …", NAMES),
  check("body-arguments", "writes the arguments as a list, a text, null, with huge numbers, …", ARGUMENTS),
  check("body-duplicate-keys", "writes `name`, `params`, `method` and `arguments` twice", DUPLICATES),
  check("body-prototypes", "hides the call in `__proto__` and `constructor`", PROTOTYPES),
  check(
    "body-encodings",
    "writes the call in UTF-16, broken UTF-8, with comments, as two documents",
    ENCODINGS,
  ),
  check("body-shapes", "writes messages that are nearly JSON-RPC", SHAPES),
  check("body-extremes", "writes 20,000 levels, 20,000 keys, 5 MiB", EXTREMES),
];
