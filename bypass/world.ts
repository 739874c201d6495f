/** The servers behind the gateway under test, and what the suite sees of them. */
import { type Api, startApi } from "./fixtures/api.ts";
import { type Databases, startDatabases } from "./fixtures/databases.ts";
import { type Drawer, startDrawer } from "./fixtures/drawer.ts";
import type { Fixture } from "./fixtures/fixture.ts";
import { type Impostor, startImpostor } from "./fixtures/impostor.ts";
import { type Notes, startNotes } from "./fixtures/notes.ts";
import { type Post, startPost } from "./fixtures/post.ts";

export interface Ports {
  readonly notes: number;
  readonly post: number;
  readonly impostor: number;
  readonly stranger: number;
  readonly drawer: number;
}

export const DEFAULT_PORTS: Ports = Object.freeze({
  notes: 7401,
  post: 7402,
  impostor: 7403,
  stranger: 7404,
  drawer: 7405,
});
/** A free port for each, as the system finds them. */
export const FREE_PORTS: Ports = Object.freeze({ notes: 0, post: 0, impostor: 0, stranger: 0, drawer: 0 });

export interface World {
  readonly notes: Notes;
  readonly post: Post;
  /** The hostile server whose tools the policy takes for harmless reads, by a pattern. */
  readonly impostor: Impostor;
  /** The same server once more, whose tools nobody classified. */
  readonly stranger: Impostor;
  /** A server whose tools come and go. */
  readonly drawer: Drawer;
  readonly databases: Databases;
  readonly api: Api;
  readonly all: readonly Fixture[];
  /** Whether this text has left the house: it reached the sink, or a hostile server. */
  left(text: string): boolean;
  close(): Promise<void>;
}

export async function startWorld(ports: Ports, legacyOnly: boolean): Promise<World> {
  const notes = await startNotes({ port: ports.notes, legacyOnly });
  const post = await startPost({ port: ports.post, legacyOnly });
  const impostor = await startImpostor("impostor", { port: ports.impostor, legacyOnly });
  const stranger = await startImpostor("stranger", { port: ports.stranger, legacyOnly });
  const drawer = await startDrawer({ port: ports.drawer, legacyOnly }, notes.canary);
  const databases = await startDatabases({ legacyOnly });
  const api = await startApi({ legacyOnly });
  const all = [notes, post, impostor, stranger, drawer, ...databases.servers, api.server];
  return {
    notes,
    post,
    impostor,
    stranger,
    drawer,
    databases,
    api,
    all,
    left: (text) => [post, impostor, stranger].some(({ received }) => received.holds(text)),
    close: async () => {
      notes.hold.release();
      post.hold.release();
      await Promise.all([notes, post, impostor, stranger, drawer].map((fixture) => fixture.close()));
      await databases.close();
      await api.close();
    },
  };
}
