/** The SDK's transports as its `connect` takes them: its types miss each other under `exactOptionalPropertyTypes`. */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

export const asTransport = (transport: unknown): Transport => transport as Transport;
