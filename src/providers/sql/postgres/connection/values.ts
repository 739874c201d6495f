/** Values as the driver gets them, in text, made into what `toCell` knows. Whatever isn't plain stays text. */
type Parse = (text: string) => unknown;

const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [16, (text) => text === "t"],
  [17, toBytes],
  [20, BigInt],
  [21, Number],
  [23, Number],
  [26, Number],
  [700, Number],
  [701, Number],
]);

const asText: Parse = (text) => text;

/** The driver asks for a parser by the number of the type. */
export const toValue = (type: number): Parse => PARSERS.get(type) ?? asText;

function toBytes(text: string): unknown {
  return text.startsWith("\\x") ? Buffer.from(text.slice(2), "hex") : text;
}
