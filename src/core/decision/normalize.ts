/** Unicode's normal forms in linear time, for text of strangers. */

/** Beyond so many marks behind one letter, the time of `normalize` grows with the square of their number. */
const RUN_OF_MARKS = /([\p{M}\uff9e\uff9f]{30})(?=[\p{M}\uff9e\uff9f])/gu;

/**
 * A text in a normal form. Where more than 30 marks follow each other, U+034F parts them, as in the Stream-Safe Text
 * Format of UAX #15.
 */
export const normalize = (text: string, form: "NFC" | "NFKC"): string =>
  text.replaceAll(RUN_OF_MARKS, "$1\u034f").normalize(form);
