/** MCP's annotations of a tool. THREAT: its server writes them; what isn't of the right kind counts as left out. */
type Annotations = Readonly<Record<string, unknown>> | undefined;

export function flagOf(annotations: Annotations, name: string): boolean | null {
  const value = read(annotations, name);
  return typeof value === "boolean" ? value : null;
}

export function textOf(annotations: Annotations, name: string): string {
  const value = read(annotations, name);
  return typeof value === "string" ? value : "";
}

const read = (annotations: Annotations, name: string): unknown =>
  annotations && Object.hasOwn(annotations, name) ? annotations[name] : undefined;
