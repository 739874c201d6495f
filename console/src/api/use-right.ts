/** The rights of this page's token. The gateway enforces them; the page only hides what isn't allowed. */
import { useQuery } from "@tanstack/react-query";
import { identityQuery } from "./queries.ts";

/** Whether the person has one of these rights. True until it is known. */
export function useRight(...rights: readonly ("use" | "look" | "approve" | "administer")[]): boolean {
  const { data } = useQuery(identityQuery());
  return data === undefined || rights.some((right) => data.rights.includes(right));
}
