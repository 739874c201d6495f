/** The smallest valid files of each kind that the suites ask for. */

/** A PNG of one red pixel, in base64. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/** A WAV of one silent sample, in base64. */
export const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==";

export const image = { type: "image", data: PNG, mimeType: "image/png" } as const;

export const text = (value: string) => ({ type: "text", text: value }) as const;

/** A result that is one text. */
export const said = (value: string) => ({ content: [text(value)] });
