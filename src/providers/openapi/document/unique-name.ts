/** Names of arguments that every client of MCP takes: plain characters, at most 64, each once. */

/** Adds a name like the wanted one to the taken ones. */
export function takeName(wanted: string, taken: Set<string>): string {
  const plain =
    wanted
      .replaceAll(/[^A-Za-z0-9_.-]+/g, "_")
      .replaceAll(/^_+|_+$/g, "")
      .slice(0, 60) || "value";
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) name = `${plain}_${count}`;
  taken.add(name);
  return name;
}
