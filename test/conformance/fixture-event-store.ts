/** What was sent on each stream, so that a client that comes back gets what it missed. */
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

interface SentEvent {
  readonly id: string;
  readonly stream: string;
  readonly message: JSONRPCMessage;
}

export function createEventStore(): EventStore {
  const sent: SentEvent[] = [];
  const find = (id: string): SentEvent => {
    const event = sent[Number(id) - 1];
    if (event === undefined) throw new Error(`There is no event ${id}.`);
    return event;
  };
  return {
    storeEvent: async (stream, message) => {
      const id = String(sent.length + 1);
      sent.push({ id, stream, message });
      return id;
    },
    getStreamIdForEventId: async (id) => sent[Number(id) - 1]?.stream,
    replayEventsAfter: async (lastId, { send }) => {
      const { stream } = find(lastId);
      for (const event of sent.slice(Number(lastId)))
        if (event.stream === stream) await send(event.id, event.message);
      return stream;
    },
  };
}
