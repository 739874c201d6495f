/** Which template of a server a URI comes of, as far as that can be told without filling it in. */

/** Whether a URI could come of an RFC 6570 template: its literal parts stand in it, in their order. */
export function matchesTemplate(template: string, uri: string): boolean {
  const parts = template.split(/\{[^{}]*\}/);
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return uri === template;
  if (!uri.startsWith(first) || !uri.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = uri.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return uri.length - last.length >= at;
}
