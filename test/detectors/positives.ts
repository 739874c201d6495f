/**
 * At least ten of each kind that `docs/detectors.md` claims, each as it may stand in a result. Tokens are put together
 * here of their maker's prefix and characters of chance, so that no file holds one; all of them are nobody's.
 */
import { createHash, generateKeyPairSync } from "node:crypto";

/** Results with one thing of this kind in each. */
export interface Positives {
  readonly kind: string;
  readonly results: readonly unknown[];
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE62 = `${LETTERS}0123456789`;
const URL_SAFE = `${BASE62}-_`;
const HEX = "0123456789abcdef";

/** Characters that look like chance and are the same each time. */
function chance(seed: string, length: number, alphabet = BASE62): string {
  let text = "";
  for (let block = 0; text.length < length; block += 1) {
    const bytes = createHash("sha512").update(`${seed} ${block}`).digest();
    text += [...bytes].map((byte) => alphabet[byte % alphabet.length]).join("");
  }
  const [first = "A"] = [...alphabet].filter((one) => /[A-Za-z0-9]/.test(one));
  // A token neither begins nor ends with a sign.
  return text.slice(0, length).replace(/^[-_]|[-_]$/g, first);
}

const toUnicodeEscape = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text with a value in it, as JSON. */
const toJson = (value: string): string => JSON.stringify({ id: 7, value: `first\n${value}\nlast` });

/** JSON as encoders write it that escape more than they must. */
const ESCAPED_PLACES: readonly ((value: string) => unknown)[] = [
  (value) => toJson(value).replaceAll("/", "\\/"),
  (value) => toJson(value).replace(/[^\w\s"\\{}:,-]/g, toUnicodeEscape),
  (value) => `${JSON.stringify({ log: toJson(value) })}\n${JSON.stringify({ log: toJson("none") })}`,
  (value) => `Result: ${JSON.stringify({ log: toJson(value) }).replaceAll("/", "\\/")}`,
  (value) => JSON.stringify(JSON.stringify(toJson(value))),
  (value) => `\`\`\`json\n${JSON.stringify({ log: toJson(value) })}\n\`\`\``,
];

/** The ways in which results hold a text. */
const PLACES: readonly ((value: string) => unknown)[] = [
  (value) => value,
  (value) => ({ content: [{ type: "text", text: `Use ${value}, please.` }] }),
  (value) => ({ content: [{ type: "text", text: JSON.stringify({ id: 7, value }) }] }),
  (value) => ({ structuredContent: { rows: [["ada", value, "2026-11-22"]] } }),
  (value) => `export VALUE="${value}"`,
  (value) => `VALUE=${value}\nOTHER=1\n`,
  (value) => `id,value,date\n1,${value},2026-11-22\n`,
  (value) => `<td class="v">${value}</td>`,
  (value) => `config:\n  value: ${value}\n  level: debug\n`,
  (value) => `2026-11-22T10:00:00.123Z INFO [main] got ${value} (200 OK)`,
  (value) => `const value = '${value}';`,
  (value) => `- first\n- \`${value}\`\n- last`,
  ...ESCAPED_PLACES,
];

const inPlaces = (kind: string, make: (seed: string) => string): Positives => ({
  kind,
  results: PLACES.map((place, at) => place(make(`${kind} ${at}`))),
});

/** Each value in a place of its own. */
const listed = (kind: string, values: readonly string[]): Positives => ({
  kind,
  results: values.map((value, at) => PLACES[at % PLACES.length]?.(value)),
});

/** One of several forms after the other. */
const forms = (kind: string, ...all: readonly ((seed: string) => string)[]): Positives => ({
  kind,
  results: PLACES.flatMap((place, at) => {
    const form = all[at % all.length];
    return form === undefined ? [] : [place(form(`${kind} ${at}`))];
  }),
});

const TOKENS: readonly Positives[] = [
  inPlaces("secret/1password", (seed) => {
    const account = { email: "svc@acme.io", userAuth: { method: "SRPg-4096" }, srpX: chance(seed, 64, HEX) };
    // Padded so that its base64 ends as that of such an account does.
    const text = JSON.stringify(account);
    return `ops_${Buffer.from(`${text.slice(0, -1)}${" ".repeat((4 - (text.length % 3)) % 3)}}`).toString("base64")}`;
  }),
  forms(
    "secret/anthropic",
    (seed) => `sk-ant-${"api03"}-${chance(seed, 93, URL_SAFE)}AA`,
    (seed) => `sk-ant-${"admin01"}-${chance(seed, 93, URL_SAFE)}AA`,
    (seed) => `sk-ant-${"oat01"}-${chance(seed, 86, URL_SAFE)}`,
  ),
  forms(
    "secret/aws",
    (seed) => `${"AKIA"}${chance(seed, 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
    (seed) => `${"ASIA"}${chance(seed, 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
    (seed) => `aws_secret_access_key = ${chance(seed, 40, `${BASE62}/+`)}`,
    (seed) => `secretAccessKey: ${chance(seed, 40, `${BASE62}/+`)}`,
  ),
  inPlaces(
    "secret/azure",
    (seed) => `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${chance(seed, 86)}==`,
  ),
  inPlaces("secret/cloudflare", (seed) => `${"cfut"}_${chance(seed, 40)}${chance(seed, 8, HEX)}`),
  inPlaces("secret/databricks", (seed) => `${"dapi"}${chance(seed, 32, HEX)}`),
  inPlaces("secret/docker", (seed) => `dckr_${"pat"}_${chance(seed, 27, URL_SAFE)}`),
  inPlaces("secret/figma", (seed) => `${"figd"}_${chance(seed, 43, URL_SAFE)}`),
  forms(
    "secret/github",
    (seed) => `${"ghp"}_${chance(seed, 36)}`,
    (seed) => `${"gho"}_${chance(seed, 36)}`,
    (seed) => `${"ghs"}_${chance(seed, 36)}`,
    (seed) => `github_${"pat"}_${chance(seed, 22)}_${chance(`${seed}b`, 59)}`,
  ),
  forms(
    "secret/gitlab",
    (seed) => `${"glpat"}-${chance(seed, 20, URL_SAFE)}`,
    (seed) => `${"gldt"}-${chance(seed, 20, URL_SAFE)}`,
    (seed) => `${"glrt"}-${chance(seed, 20, URL_SAFE)}`,
    (seed) => `${"glcbt"}-64_${chance(seed, 20, URL_SAFE)}`,
  ),
  forms(
    "secret/google-cloud",
    (seed) => `${"AIza"}${chance(seed, 35, URL_SAFE)}`,
    (seed) => `${"GOCSPX"}-${chance(seed, 28, URL_SAFE)}`,
    (seed) => `${"ya29"}.${chance(seed, 120, URL_SAFE)}`,
  ),
  forms(
    "secret/grafana",
    (seed) => `${"glsa"}_${chance(seed, 32)}_${chance(seed, 8, HEX)}`,
    (seed) => `${"glc"}_${chance(seed, 100)}`,
  ),
  inPlaces("secret/groq", (seed) => `${"gsk"}_${chance(seed, 52)}`),
  forms(
    "secret/hashicorp-vault",
    (seed) => `${"hvs"}.${chance(seed, 95, URL_SAFE)}`,
    (seed) => `${"hvs"}.${chance(seed, 24)}`,
    (seed) => `${"hvb"}.${chance(seed, 150, URL_SAFE)}`,
  ),
  inPlaces("secret/hugging-face", (seed) => `${"hf"}_${chance(seed, 34, LETTERS)}`),
  inPlaces("secret/linear", (seed) => `lin_${"api"}_${chance(seed, 40)}`),
  forms(
    "secret/notion",
    (seed) => `${"ntn"}_${chance(seed, 11, "0123456789")}${chance(seed, 35)}`,
    (seed) => `${"secret"}_${chance(seed, 43)}`,
  ),
  inPlaces("secret/npm", (seed) => `${"npm"}_${chance(seed, 36)}`),
  forms(
    "secret/openai",
    (seed) => `sk-${"proj"}-${chance(seed, 74, URL_SAFE)}T3BlbkFJ${chance(`${seed}b`, 74, URL_SAFE)}`,
    (seed) => `sk-${"svcacct"}-${chance(seed, 120, URL_SAFE)}`,
    (seed) => `sk-${chance(seed, 20)}T3BlbkFJ${chance(`${seed}b`, 20)}`,
  ),
  inPlaces(
    "secret/sendgrid",
    (seed) => `${"SG"}.${chance(seed, 22, URL_SAFE)}.${chance(`${seed}b`, 43, URL_SAFE)}`,
  ),
  inPlaces("secret/shopify", (seed) => `${"shpat"}_${chance(seed, 32, HEX)}`),
  forms(
    "secret/slack",
    (seed) =>
      `${"xoxb"}-${chance(seed, 12, "0123456789")}-${chance(`${seed}b`, 13, "0123456789")}-${chance(seed, 24)}`,
    (seed) =>
      `${"xoxp"}-${chance(seed, 12, "0123456789")}-${chance(seed, 12, "0123456789")}-${chance(seed, 32, HEX)}`,
    (seed) => `${"xapp"}-1-A${chance(seed, 10)}-${chance(seed, 13, "0123456789")}-${chance(seed, 64, HEX)}`,
    (seed) =>
      `https://hooks.slack.com/services/T${chance(seed, 8)}/B${chance(seed, 10)}/${chance(`${seed}b`, 24)}`,
  ),
  forms(
    "secret/stripe",
    (seed) => `${"sk"}_${"live"}_${chance(seed, 24)}`,
    (seed) => `${"rk"}_${"live"}_${chance(seed, 99)}`,
    (seed) => `${"whsec"}_${chance(seed, 32)}`,
  ),
  inPlaces("secret/tailscale", (seed) => `${"tskey"}-auth-${chance(seed, 16)}-${chance(`${seed}b`, 32)}`),
  inPlaces("secret/vercel", (seed) => `${"vcp"}_${chance(seed, 40)}`),
];

const pem = (type: string, body: string): string => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----`;
const wrapped = (seed: string, length: number): string =>
  chance(seed, length, `${BASE62}+/`).replace(/.{64}/g, "$&\n");
const exported = (
  key: ReturnType<typeof generateKeyPairSync>["privateKey"],
  type: "pkcs8" | "sec1" | "pkcs1",
  passphrase?: string,
) =>
  String(
    key.export({
      type: type as "pkcs8",
      format: "pem",
      ...(passphrase && { cipher: "aes-256-cbc", passphrase }),
    }),
  );

const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
const ec = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
const ed = generateKeyPairSync("ed25519").privateKey;

/** Real keys, made for this run. */
const PRIVATE_KEYS: Positives = {
  kind: "secret/private-key",
  results: [
    exported(rsa, "pkcs1"),
    exported(rsa, "pkcs8"),
    exported(ec, "sec1"),
    exported(ec, "pkcs8"),
    exported(ed, "pkcs8"),
    exported(rsa, "pkcs8", "chosen"),
    exported(rsa, "pkcs1", "chosen"),
    exported(ec, "sec1", "chosen"),
    { key: exported(ec, "sec1") },
    JSON.stringify({ type: "service_account", private_key_id: "a", private_key: exported(rsa, "pkcs8") }),
    `KEY="${exported(ed, "pkcs8").replaceAll("\n", "\\n")}"`,
    ...ESCAPED_PLACES.map((place) => place(exported(rsa, "pkcs8"))),
    exported(rsa, "pkcs1").replaceAll("\n", "\r\n"),
    pem(`OPENSSH ${"PRIVATE KEY"}`, `b3BlbnNzaC1rZXktdjEAAAAA${wrapped("openssh", 300)}`),
    pem(`PGP ${"PRIVATE KEY"} BLOCK`, `Version: GnuPG v2\nComment: mine\n\n${wrapped("pgp", 600)}\n=aB3d`),
    pem(`DSA ${"PRIVATE KEY"}`, wrapped("dsa", 600)),
    `---- BEGIN SSH2 ENCRYPTED ${"PRIVATE KEY"} ----\nComment: "x"\n${wrapped("ssh2", 300)}\n---- END SSH2 ENCRYPTED ${"PRIVATE KEY"} ----`,
    `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 2\n${wrapped("p", 80)}\nPrivate-Lines: 1\n${chance("q", 48)}`,
    `AGE-SECRET-KEY-${1}${chance("age", 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")}`,
  ],
};

const CONNECTIONS: readonly Positives[] = [
  listed("secret/database-connection", [
    "postgres://svc:Zk39fjqPw@db.acme.io:5432/crm",
    "postgresql://app:tr0ub4dor@10.0.0.5/app?sslmode=require",
    "mysql://root:S3hrGeheim!@mysql.internal:3306/shop",
    "mongodb://crm:aB9xQ2vLm@m1.acme.io,m2.acme.io/crm?replicaSet=a",
    "mongodb+srv://crm:aB9xQ2vLm@cluster0.ab12c.mongodb.net/crm",
    "redis://:Zk39fjqPw@cache.acme.io:6379/0",
    "rediss://default:Zk39fjqPw@cache.acme.io:6380",
    "amqp://worker:Zk39fjqPw@mq.acme.io:5672/jobs",
    "amqps://worker:Zk39fjqPw@mq.acme.io/jobs",
    "mssql://sa:Str0ng-Pw@sql.acme.io:1433/erp",
    "clickhouse://stats:Zk39fjqPw@ch.acme.io:9000/events",
    "ldap://cn=admin:Zk39fjqPw@ldap.acme.io",
    "smtp://mailer:Zk39fjqPw@smtp.acme.io:587",
    "mariadb+pymysql://shop:Zk39%40jqPw@db:3306/shop",
    "jdbc:postgresql://db.acme.io:5432/crm?user=svc&password=Zk39fjqPw",
    "jdbc:mysql://db.acme.io/crm?password=Zk39fjqPw&user=svc",
    "jdbc:sqlserver://db.acme.io:1433;databaseName=crm;user=sa;password=Zk39fjqPw;",
    "jdbc:oracle:thin:scott/Zk39fjqPw@//db.acme.io:1521/orcl",
    "Server=db.acme.io;Database=crm;User Id=svc;Password=Zk39fjqPw;",
    "Data Source=db.acme.io,1433;Initial Catalog=crm;UID=svc;PWD=Zk39fjqPw",
    "Driver={ODBC Driver 18 for SQL Server};Server=tcp:db.acme.io;Uid=svc;Pwd=Zk39fjqPw;Encrypt=yes",
    "host=db.acme.io port=5432 dbname=crm user=svc password=Zk39fjqPw",
    "Host=db.acme.io;Username=svc;Password='Zk39;fjqPw'",
    "Provider=SQLOLEDB;Password = Zk39fjqPw;User ID=sa;Data Source=db",
    "connect(host='db.acme.io', user='svc', password='Zk39fjqPw')",
    'connect("host=db.acme.io user=svc password=Zk39fjqPw")',
    "It runs (host=db.acme.io user=svc password=zebrapony)",
    "DataSource(host=db.acme.io, user=svc, password=Zk39fjqPw)",
    "host=db.acme.io, user=svc, password=zebrapony, port=5432",
    "host=db.acme.io user=svc password=zebra.pony port=5432",
    "Server=db.acme.io;User Id=svc;Password=Zk(39fjqPw;",
    "Server=db.acme.io;User Id=svc;Password=pass.word9x;",
    "host=db.acme.io user=svc password=token.zebra99 port=5432",
    "ssh://root:Zk39fjqPw@db.acme.io",
    "postgres://app:FindYourWay99@db.acme.io/x",
    "postgres://app:Kx12345678@db.acme.io/x",
    "postgres://app:aB$(x9Zq@db.acme.io/x",
    "postgres://app:Sample4Tune8@db.acme.io/x",
    "postgres://app:Zq{8}vT3nLp@db.acme.io/x",
    "Server=db.acme.io;User Id=svc;Password={Zk39fjqPw};",
    "Server=db.acme.io;User Id=svc;Password=#Zq8vT3nLp;",
  ]),
  listed("secret/basic-auth", [
    "https://deploy:Zk39fjqPw@git.acme.io/x",
    "http://admin:hunter2x@router.lan/status",
    "https://svc:tr0ub4dor@nexus.acme.io/repository/npm/",
    "https://x-access-token:Zk39fjqPw12345abcde@code.acme.io/org/repo.git",
    "ftp://upload:Zk39fjqPw@files.acme.io/in",
    "https://elastic:aB9xQ2vLm@es.acme.io:9243",
    "http://proxyuser:aB9xQ2vLm@10.1.2.3:3128",
    "https://ada%40acme.io:aB9xQ2vLm@jira.acme.io/rest",
    "https://build:pa-55_w0rD@pypi.acme.io/simple",
    "wss://feed:Zk39fjqPw@stream.acme.io/v1",
    "HTTPS://DEPLOY:Zk39fjqPw@GIT.ACME.IO/X",
    "https://deploy:Zk39.fj~qPw!@git.acme.io/x",
  ]),
];

const spaced = (digits: string, sign: string): string => digits.replace(/(.{4})(?=.)/g, `$1${sign}`);
const CARDS =
  `4111111111111111 4242424242424242 5555555555554444 2223003122003222 6011111111111117 3530111333300000
  6200000000000005 5105105105105100 4012888888881881`.split(/\s+/);
const IBANS = `DE89370400440532013000 GB82WEST12345698765432 FR1420041010050500013M02606 NL91ABNA0417164300
  ES9121000418450200051332 IT60X0542811101000000123456 CH9300762011623852957 AT611904300234573201 BE68539007547034
  SE4550000000058398257466 PL61109010140000071219812874 NO9386011117947 DK5000400440116243 FI2112345600000785
  IE29AIBK93115212345678 PT50000201231234567890154`.split(/\s+/);

const PERSONAL: readonly Positives[] = [
  listed("personal-data/email", [
    "ada@acme.io",
    "Ada.Lovelace+work@mail.acme.co.uk",
    "<grace.hopper@navy.mil>",
    "mailto:linus_t@kernel.fi",
    "o'brien@acme.ie",
    "info@müller-söhne.de",
    "jörg.weiß@acme.de",
    "ada@xn--mller-kva.example",
    "a.b-c_d@sub.domain.acme.museum",
    "_ada@acme.io",
    "ADA@ACME.IO",
    "ada%list@acme.io",
    "4711@qq.com",
  ]),
  listed("personal-data/phone", [
    "+49 30 901820",
    "+1 (415) 555-2671",
    "tel:+4915123456789",
    "+44 (0)20 7946 0958",
    "+358.9.1234567",
    "+33 1 23 45 67 89",
    "+49 (0)30 / 901820-11",
    "+1-212-555-0198",
    "+86 138 0013 8000",
    "+41\u00a044\u00a0668\u00a018\u00a000",
    "+43/1/58858-0",
    "+91 98765 43210",
  ]),
  listed("personal-data/iban", [...IBANS, ...IBANS.slice(0, 6).map((iban) => spaced(iban, " "))]),
  {
    kind: "personal-data/payment-card",
    results: [
      ...(listed("", CARDS).results ?? []),
      ...CARDS.slice(0, 3).map((card) => spaced(card, " ")),
      ...CARDS.slice(3, 6).map((card) => spaced(card, "-")),
      `name,card,until\nAda,${CARDS[1]},12/29\nGrace,${CARDS[2]},01/30`,
      `Ada,${CARDS[0]}`,
      `${CARDS[2]},12/29`,
      JSON.stringify({ cards: CARDS.slice(0, 3).map(Number) }),
      `[${CARDS.slice(0, 3).join(",")}]`,
      `cards: ${CARDS.slice(0, 3).join(", ")}`,
      { cards: CARDS.map(Number) },
      "3782 822463 10005",
      "371449635398431",
      "30569309025904",
      "2200 0000 0000 0053",
    ],
  },
  listed("personal-data/us-social-security", [
    ..."536-22-1234 123-45-6789 219-09-9999 078-05-1120 457-55-5462 601-12-3456 772-34-5678 234-56-7891".split(
      " ",
    ),
    "SSN: 536221234",
    "social security number: 219099998",
    '"ssn":"457555462"',
  ]),
  listed(
    "personal-data/gb-national-insurance",
    "AB 12 34 56 C|CE 98 76 54 A|JG 10 20 30 D|SN 11 22 33 B|PX 44 55 66 C|WL 77 88 99 A|HJ 01 02 03 B|RT 65 43 21 D|YZ 31 41 59 C|EK 27 18 28 A".split(
      "|",
    ),
  ),
  listed(
    "personal-data/it-codice-fiscale",
    "RSSMRA85T10A562S BNCGLI90A41F205H VRDLGU72M15H501V FRRPLA68D52L219F CNTLRA99E60G273S GLLFNC55P03D612F MRTSVT81B28C351V RZZDNL77S14A944O PLLCHR93H65E506Q SNTMTT88L09B157D".split(
      " ",
    ),
  ),
  listed(
    "personal-data/fr-nir",
    "1 84 12 76 451 089 46|269054958815780|155087511612397|278019903200423|192061305521218|295022A00401165|163105935007782|287043306314550|176017864600271|201076912345665|188052B03301844".split(
      "|",
    ),
  ),
  listed(
    "personal-data/br-cpf",
    "529.982.247-25 111.444.777-35 390.533.447-05 862.883.667-57 714.602.380-01 123.456.789-09 987.654.321-00 046.454.286-32 295.379.955-93 153.509.460-56".split(
      " ",
    ),
  ),
  listed(
    "personal-data/se-personnummer",
    "811218-9876 640823-3234 19121212-1212 900118-9811 850709-9805 710221-5444 19990101-2394 560303-7424 780912-3313 430626-5580".split(
      " ",
    ),
  ),
  listed(
    "personal-data/fi-hetu",
    "131052-308T 010594-9021 240178-123C 311299-876F 150864-2346 070703A5677 281085-445D 120990-701U 050571-339H 190206A812L".split(
      " ",
    ),
  ),
  listed(
    "personal-data/ch-ahv",
    "756.9217.0769.85 756.1234.5678.97 756.3023.1568.79 756.0448.1200.96 756.8735.1124.03 756.5690.4487.14 756.2109.3847.55 756.7482.9013.77 756.9901.1223.32 756.6001.2398.78".split(
      " ",
    ),
  ),
  listed(
    "personal-data/cn-resident-identity",
    "11010519491231002X 440524198001010013 310104198506071237 510102199002154564 330106197709307897 420107196811012343 61011319951224567X 350203198204188903 120101197308090120 370202200001123453".split(
      " ",
    ),
  ),
];

export const POSITIVES: readonly Positives[] = [...TOKENS, PRIVATE_KEYS, ...CONNECTIONS, ...PERSONAL];
