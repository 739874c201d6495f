/** Names in sentences for a model: quoted, truncated, and only a few of many. */

export const MAX_NAME_LENGTH = 100;
export const MAX_WRITTEN = 8;

/** A name that anybody may have chosen, made harmless: only plain characters, and cut. */
export function plainName(name: string): string {
  // THREAT: tool names come from agents and upstream servers, and this text goes to a model.
  const plain = name.replaceAll(/[^A-Za-z0-9_.:/@*-]/g, "?");
  return plain.length > MAX_NAME_LENGTH ? `${plain.slice(0, MAX_NAME_LENGTH)}…` : plain;
}

/** The same in backticks. */
export const quoteName = (name: string): string => `\`${plainName(name)}\``;

/** Names in backticks, joined as in a sentence; at most eight of `count` are listed. */
export function listNames(names: readonly string[], conjunction = "and", count = names.length): string {
  const shown = names.slice(0, MAX_WRITTEN).map(quoteName);
  if (count > MAX_WRITTEN) shown.push(`${count - MAX_WRITTEN} more`);
  return joinWords(shown, conjunction);
}

/** Parts joined as in a sentence. */
export function joinWords(parts: readonly string[], conjunction = "and"): string {
  const tail = parts.at(-1) ?? "";
  return parts.length < 2 ? tail : `${parts.slice(0, -1).join(", ")} ${conjunction} ${tail}`;
}
