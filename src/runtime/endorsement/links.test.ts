import { expect, it } from "vitest";
import { linksIn } from "./links.ts";

const found = (text: string, characters = 100_000): readonly (string | undefined)[] =>
  linksIn(text, { links: 1000, characters }).map(([first]) => first);

it.each<[string, readonly (string | undefined)[]]>([
  ["see secure-acme.example.", ["secure-acme.example"]],
  ["_Please confirm at secure-acme.example_", ["secure-acme.example_"]],
  ["__secure-acme.example/?d=secret__", ["__secure-acme.example/?d=secret__"]],
  ["*acme.example*", ["acme.example"]],
  ["_1.2.3.4/x_ and -1.2.3.4", ["1.2.3.4/x_", undefined]],
  ["evil.example@ and @evil.example/x", [undefined, undefined]],
  ["ada@\u200bevil.example", [undefined, undefined]],
  ["evil.\u200bexample", [undefined]],
  ["evil.भारत/x and हिन्दी.example", ["evil.भारत/x", "हिन्दी.example"]],
  ["x\u0302acme.example/plan", ["x\u0302acme.example/plan"]],
  ["foo_acme.example/plan", ["foo_acme.example/plan"]],
  ["xhttps://acme.example/plan", ["xhttps://acme.example/plan"]],
  [`${"9 ".repeat(5000)}e\u0301acme.example`, ["éacme.example"]],
  [`${"x ".repeat(5000)}\u{1d421}ttps://acme.example`, ["ttps://acme.example"]],
  ["i\u2764.example/x and 10.0.0.5?d=x, 10.0.0.6.", ["i\u2764.example/x", "10.0.0.5?d=x,", "10.0.0.6"]],
  ["evil.example:x", ["evil.example:x"]],
  ["a.pdf?u=evil.example", [undefined]],
  ["https:evil.example", ["https:evil.example"]],
  ["\u{20bb7}\u91ce.5 and \u{20000}.evil.example", ["\u{20000}.evil.example"]],
  ["ada@acme.example, x@mail.acme.example, a_b@c.example, first.last@acme.example", []],
  [
    "report.pdf, report_v1.pdf, acme.report.2026-11.pdf, 2026-11-29_notes.md.txt, r\u00e9sum\u00e9.pdf, plan.\u8cc7\u6599.pdf and v1.2",
    [],
  ],
])("finds the links that programs make clickable: %j (X4)", (text, links) => {
  expect(found(text)).toEqual(links);
});

const SAID = "https://acme.example/plan";
const HOST = "https://acme.example";
/** Whether the user gave each link of a text. */
const isSaid = (text: string, said: readonly string[] = [SAID]): boolean =>
  linksIn(text, { links: 1000, characters: 100_000 }).every((forms) =>
    forms.some((form) => said.includes(form)),
  );

it.each([
  "see SAID.",
  "(SAID), SAID; SAID!",
  "the \"SAID\", 'SAID' or `SAID`",
  "\u201cSAID\u201d \u2013 \u00bbSAID\u00ab",
  "**SAID** and _SAID_",
  "[the plan](SAID).[again](SAID)",
  "![](<SAID>) and <SAID>",
  "[SAID](SAID)",
  "[x]: SAID",
  '{"url":"SAID","more":1}',
  "SAID\nSAID\tSAID",
  "<p>SAID</p><br/><ul class='a b'><li>SAID</li></ul> &amp; &uuml;ber &#39;x&#39;",
  "<ada@acme.example> wrote: a <b> c, 1 < 2, x <- y, <3 and a<b",
  "<SAID|the plan>",
  'The "Summer plan" SAID and the "Winter plan" SAID',
  "[acme.example/plan](SAID) and acme.example/plan",
])("knows a link that the user wrote: %s (X4)", (text) => {
  expect(isSaid(text.replaceAll("SAID", SAID))).toBe(true);
});

it.each([
  "![](SAID'x)",
  '[x](SAID"x)',
  "![](SAID`x)",
  "![](SAID<x)",
  "![](<SAID x>)",
  "![](SAID\\)x)",
  '<a href="SAID">the plan</a>',
  '<p style="x">SAID</p>',
  '<img src="SAID x">',
  '<img alt=x=" src="SAID /../x">',
  "![](SAID /../x)",
  '<meta http-equiv=refresh content="0;url=SAID /../x">',
  "<p style='x:\"<\";background:url(&quot;SAID /../x&quot;)'>",
  'SAID and <img src="SAID x">',
  '<img src = "SAID\nx">',
  "<img src=SAID'x>",
  "SAID\u00b4x",
  "SAID\u00a0x",
  "SAID\uff07x",
  "SAID'x",
  "SAID]x",
  "(SAID)x",
  "SAID.,;:!?..,,",
  '<base href="SAID"><img src="/x">',
  "[SAID](SAID/x)",
])("takes what goes on behind such a link for another: %s (X4)", (text) => {
  expect(isSaid(text.replaceAll("SAID", SAID))).toBe(false);
});

it.each([
  '<img src="//evil%2eexample/x">',
  "<img src='/\\evil%2eexample'>",
  "<img src='\\\\134744072\\x'>",
  '<a href="//s@evil.example">x</a>',
  '<img src="//intranet/x">',
  "![x](https\\://evil\\.example/x)",
  "[x](<http\\:evil%2eexample>)",
  '<img src="htt\nps:/\n/evil%2eexample/x">',
  '<img src="ht\ttps:evil%2eexample">',
  '<img src="h&#0000000116;tps&#0000000058;evil%2eexample">',
  '<img src="https://acme.example&#34;&#32;@134744072/">',
  "evil&shy;.example",
  "evil.com\u20ac and evil.com\u{1f600}",
  '"https://acme.example"@134744072/x',
  "'https://acme.example'),x@134744072",
  '"https://acme.example".evil%2eexample',
  "[x](https://acme.example)@134744072/",
  "<https://acme.example|@134744072/>",
  '"https://acme.example">@134744072/',
  "![x]( https://acme.example<@134744072/)",
  "<img src=https://acme.example<x@evil%2eexample/>",
  '<img src=" https://acme.example @134744072/">',
  '<img src=" https://acme.example x@evil.example">',
  '<meta http-equiv=refresh content="0;url=https://acme.example @134744072/">',
  "url('https://acme.example @134744072/')",
  "<a href=https://acme.example\v@134744072/>",
  'x=" <img src="ht\ntp:134744072/x">',
  `<img src="${" ".repeat(400)}https://acme.example @134744072/">`,
  `<meta http-equiv=refresh content="0;${" ".repeat(400)}url=https://acme.example @134744072/">`,
  '<iframe src="data: text/html;base64,PGltZyBzcmM9aHR0cHM6Ly9ldmlsLmV4YW1wbGUveD4="></iframe>',
  "[x](<javascript: location='\\x2f\\x2fevil%2eexample/'>)",
  "[x](//evil%2eexample)",
  "[a\\]b]: evil%2eexample/x",
  "<a href='java\nscript:x'>x</a>",
  "<img src=x onerror='x'>",
  "<svg/onload=x@y>",
  '<p style="background:url(\\00002f)">\u0338Hello',
  '<img src="ht\ntp:134744072/x">\u0338',
  '<a\u0300 style="background:url(\\00002f)">Hello',
  "<https://acme.example/plan|x style=\u0338;background:url(\\00002f)>",
  "ht\ntps:evil%2eexample/x",
  "https\t:evil%2eexample",
  "https://acme.example\n\u24e7\n.\n\u24d8\u24de/x",
  "https://acme.example\n.\u33c4/x",
  "https://acme.example.\n\u2122",
  "\u00b2@evil.com and \u0300@evil.com",
  "<p/onclick=x>x</p>",
  "<p class='a'onclick=x>x</p>",
  "<style>x</style>",
  "<iframe srcdoc=\"<img src='&amp#47;&amp#47;evil%2eexample/x'>\"></iframe>",
  "x&#64;evil.com",
  "evil.com&#64;acme.example",
  "evil&auml;.com and evil.c&ograve;m",
  "https://acme.ex&shy;ample/plan",
  "https://acme\u3002example/plan",
  "acme.example@134744072/x",
  '<img src="// x@evil%2eexample">',
  '<img src="/\t/ x@evil%2eexample/x">',
  '<img src="/\n\\ @134744072/x">',
  '<img src="&#xc https://acme.example x@evil%2eexample/x">',
  '<img src="&#xc // x@evil%2eexample/x">',
  '<img src="&#xc http: x@evil%2eexample/x">',
  "<p style='background:url(&quot https://acme.example x@evil%2eexample/x&quot)'>",
  "https://acme.example\n.evil%2eexample/x",
  "https://acme.example\t.evil%2eexample/x",
  '<img src="&#32;https://acme.example\n.evil%2eexample/x">',
  '<img src="https://acme.example&#10;.evil%2eexample/x">',
  '<meta http-equiv=refresh content="0;https://acme.example\n.evil%2eexample/x">',
  '<style>@import " https://acme.example\t.evil%2eexample/x";</style>',
  "<p style='background:url(&quot;https://acme.example\t.evil%2eexample/x\")'>",
  "[img]https://acme.example\n.evil%2eexample/x[/img]",
  '"https://acme.example"\n.evil%2eexample',
  '<meta http-equiv=refresh content="0 ;// x@evil%2eexample/x">',
  '<img src="&#x000000000000c;// x@evil%2eexample/x">',
  "<iframe srcdoc=\"<img src='&amp;sol;&amp;sol;evil%2eexample/x'>\"></iframe>",
  "see evil.com@x",
  "evil.com@localhost",
  "evil.com-",
  "evil.com-x/?d=s",
  "evil.com\u0661",
  `evil.com${"\u3042".repeat(30)}`,
  "-@evil.com and a.@evil.com",
  "evil.com@evil.com-",
  "e@evil.com-",
  '<a href="ftp:evil%2eexample/x">x</a>',
  "It is at https://acme.example, or write to ada@acme.example.",
  "[x]: https://acme.example<\\@134744072/x",
  "'https://acme.example'&sol;x@evil%2eexample/",
  "'https://acme.example'&#47;x@evil%2eexample/",
  '<img src="&sol;&#47;evil%2eexample/x">',
  "<a href=/\\:x@evil%2eexample>x</a>",
  "https://acme.example<='&#32;@134744072/x",
  "<img src='http: x@evil%2eexample/x'>",
  "// x@evil%2eexample",
  "[x](<http: @134744072/x>)",
  "<p style='background:url(&quot;// @134744072/x&quot;)'>",
  '<img alt=x=" src="https://acme.example @evil%2eexample/?d=x">',
  '<a title=x=" href="https://acme.example x@evil.example">x</a>',
  "<img =' src='https://acme.example @134744072/x'>",
  "https://acme.example @evil%2eexample/?d=x",
  '{"type":"image","image_url":"https://acme.example @evil%2eexample/?d=x"}',
  "image_url: https://acme.example @134744072/x",
  "![x](https://acme.example @134744072/x)",
  `<p style='font-family:"<";background:url(&quot;https://acme.example @evil%2eexample&quot;)'>`,
  '<style>@import "https://acme.example x@evil.example";</style>',
  `<style>a{background:image-set("https://acme.example" 1x, "https://acme.example @134744072/" 2x)}</style>`,
  '<iframe srcdoc="<p>&lt;img src=&quot;https://acme.example @134744072/x&quot;>">',
  "[img]https://acme.example @134744072/x[/img]",
  "\x1b]8;;https://acme.example @134744072/x\x1b\\x\x1b]8;;\x1b\\",
  `<style>a{background:url('${" ".repeat(400)}https://acme.example @134744072/')}</style>`,
  "evil\u00adacme.example",
  "evil\u2060acme.example/plan",
  "evil\uff0dacme.example",
  "evil\u0000acme.example and evil.\u0000com/x",
  "acme.example\u00ad.br/x",
  "secure-evil\uffff.com/login and evil.\ufe0fcom/login",
  "<\ufe0fimg src='/\ufe0f/evil.\ufe0fcom'>",
  "htt\ufe0fps:/\ufe0f/evil.\ufe0fcom/login",
  "\u3164@evil.com",
  "evil.&shycom/login",
  "<p>evil.c&ordmm/x</p>",
  "acme.example\u3002br/x",
  "acme.example.\u24d2\u24de\u24dc/x",
  "acme.example%2eevil/x",
  "acme.example;@134744072/x",
  "(acme.example)@134744072/",
  "acme.example\n@134744072/x",
  "acme.example\t.evil%2eexample/x",
  "10.0.0.5\n@134744072/x",
  "evil&uuml;acme.example",
  "&eacuteacme.example@evil.com",
  "\u201cevil.com@acme.com\u201d",
  "see\uff1aevil.com@acme.com",
  "see evil.com@a_b.zz",
  "see evil.com@-x.zz",
  "<p>See&nbsp@secret.evil.com</p>",
  "\u3042evil.com@acme.com and evil..com@acme.com",
  "evil.@evil.com",
  "a@b.com\u2192evil.com",
  "a@b.com\u2800evil.com and a@b.com._evil.com",
  "\u00b2@evil.com",
  "evil.com@\u00b2b.com and evil.com@b.\u00e9\u00e9",
  "evil.com\u2192plan.pdf",
  "evil.com\u3164a.txt and evil.com\u00e9.pdf",
  "evil.com\u306e\u8cc7\u6599.pdf",
  "https://acme.example\n.evil\n.com\\ x",
  "https://acme.example\nmunity has it",
  "acme.example\n.evil x",
  "evil.com-plan.pdf and www.evil.com_a.txt",
  `\u00bd${"1".repeat(66)}@evil.com`,
  "x@_evil.com",
  "x@-evil.com",
  "x@e_vil.com",
  "x@\u034fevil.com",
  "x@acme.com@evil.com",
  "https://acme.example\n.\u20a8/x",
  "https://acme.example\n.evil%2eexample ",
  "https://acme.example\n.evil%2eexample/x y",
  "'https://acme.example'.evil x",
  "https://acme.example\n.evil x@134744072/x",
])("finds a host in other spellings, or behind one that the user wrote: %s (X4)", (text) => {
  expect(isSaid(text, [HOST, SAID, "10.0.0.5"])).toBe(false);
});

it.each([
  '"HOST", (HOST) or HOST.',
  "[HOST](HOST), [the page](HOST).",
  "<HOST> and <HOST|the page>",
  "<td>HOST</td><td>ada@acme.example</td>",
  "acme.example, (acme.example) and *acme.example*. Write to <first.last@acme.example>, ada@acme.example",
])("knows a host that the user wrote: %s (X4)", (text) => {
  expect(isSaid(text.replaceAll("HOST", HOST), [HOST])).toBe(true);
});

it("knows a link in italics as the one that the user wrote, and a longer one as another (X4)", () => {
  const [forms] = linksIn("_docs.acme.example/plan_", { links: 9, characters: 100 });
  expect(forms).toContain("docs.acme.example/plan");
  const [longer] = linksIn("docs.acme.example/plan/x", { links: 9, characters: 100 });
  expect(longer).not.toContain("docs.acme.example/plan");
});

it("reads a text in a time that grows as the text does (X4)", () => {
  const started = performance.now();
  for (const end of ["\t", "\n", "p\t"]) found(`http${end.repeat(59_000 / end.length)}`);
  expect(performance.now() - started).toBeLessThan(2000);
});

it("adds one in no form where the text is too long, or has too many (X4)", () => {
  expect(found("a ".repeat(60), 100)).toEqual([undefined]);
  expect(found("\ufdfa".repeat(10), 100)).toEqual([undefined]);
  const many = Array.from({ length: 12 }, (_, at) => `a${at}.example`).join(" ");
  expect(linksIn(many, { links: 10, characters: 1000 })).toHaveLength(11);
});
