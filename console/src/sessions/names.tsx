/** Names of tools in a row, as text. */
import { Fragment, type ReactNode } from "react";
import { VisibleText } from "../text/visible-text.tsx";
import { keyedTexts } from "./keyed.ts";

/** Further ones are only counted. */
const MOST = 12;

export function Names({ names }: { readonly names: readonly string[] }): ReactNode {
  const shown = names.slice(0, MOST);
  const more = names.length - shown.length;
  return (
    <>
      {keyedTexts(shown).map(({ key, item }, at) => (
        <Fragment key={key}>
          {at > 0 && ", "}
          <VisibleText>{item}</VisibleText>
        </Fragment>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}
