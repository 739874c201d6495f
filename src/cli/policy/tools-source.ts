/**
 * Where the tools' definitions are examined: at a gateway that runs, or, where none does, by starting the policy's
 * servers for this one look, as `serve` would.
 */
import type { toWireReview } from "../../gateway/rest/wire.ts";
import { printError, styled } from "../terminal/terminal.ts";
import { findGateway, type GatewayClient, type Whereabouts } from "../wiring/gateway-client.ts";

/** A tool as REST tells about it. */
export type WireReview = ReturnType<typeof toWireReview>;

export interface ToolsSource {
  /** As in "tools at …". */
  readonly place: string;
  review(): Promise<readonly WireReview[]>;
  accept(tool: string, hash: string): Promise<WireReview>;
  close(): Promise<void>;
}

/** The gateway at the address, or one of our own. */
export async function openSource(options: Whereabouts): Promise<ToolsSource> {
  const client = await findGateway(options);
  return client === null ? startOwn(options) : overRest(client);
}

async function overRest(client: GatewayClient): Promise<ToolsSource> {
  const { toolReview, toolReviews } = await import("../../gateway/rest/schemas.ts");
  const readAll = (answer: unknown) => toolReviews.safeParse(answer).data?.tools ?? null;
  const readOne = (answer: unknown) => toolReview.safeParse(answer).data ?? null;
  return {
    place: client.url,
    review: () => client.ask("/v1/tools", readAll),
    accept: (tool, hash) => client.ask("/v1/tools/accept", readOne, { tool, hash }),
    close: async () => {},
  };
}

async function startOwn({ config, store }: Whereabouts): Promise<ToolsSource> {
  const log = (line: string): void => printError(styled("dim", line));
  const [{ runGateway }, { toWireReview }] = await Promise.all([
    import("../wiring/run-gateway.ts"),
    import("../../gateway/rest/wire.ts"),
  ]);
  const { gateway, config: loaded } = await runGateway({ config, store, log });
  await gateway.catalog.settled;
  for (const { id, status, problem } of gateway.catalog.providers) {
    if (status !== "ready") log(`${id} is not running: ${problem ?? status}`);
  }
  return {
    place: loaded.file,
    review: async () => (await gateway.catalog.review()).map(toWireReview),
    accept: async (tool, hash) => toWireReview(await gateway.catalog.accept(tool, hash)),
    close: () => gateway.close(),
  };
}
