/** What the token of this page lets its person do. The gateway decides; here it is what is worth showing. */
import { useQuery } from "@tanstack/react-query";
import { identityQuery } from "./queries.ts";

/** Whether the person has one of these rights. Until that is known, they have. */
export function useRight(...rights: readonly ("use" | "look" | "approve" | "administer")[]): boolean {
  const { data } = useQuery(identityQuery());
  return data === undefined || rights.some((right) => data.rights.includes(right));
}
