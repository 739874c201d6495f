/** What a check works with: fresh sessions of the gateway, each as its agent sees it, and the servers behind. */
import { randomBytes } from "node:crypto";
import { lookAround, type ServerName, type Surroundings } from "./surroundings.ts";
import type { OpenSession, Target } from "./target.ts";
import { type Access, type Era, type Json, type Reply, type SendOptions, WireClient } from "./wire.ts";
import type { World } from "./world.ts";

export interface Arena {
  readonly target: Target;
  readonly era: Era;
  readonly world: World;
  readonly names: Surroundings;
  /** An agent in a fresh session. */
  open(body?: object): Promise<Agent>;
  /** An agent whose session was given private data. */
  openRaised(): Promise<Agent>;
  /** Another client of the same session. */
  again(session: OpenSession, era?: Era): Promise<Agent>;
  /** Whether a fresh session can still read and send: the gateway lives. */
  isAlive(): Promise<boolean>;
  /** Ends what the check has opened. */
  leave(): void;
}

/** A word that stands nowhere else, to be found again in what arrives. */
export const mark = (): string => `mark${randomBytes(6).toString("hex")}`;

export class Agent {
  readonly client: WireClient;
  readonly session: OpenSession;
  readonly #world: World;
  readonly #names: Surroundings;

  constructor(client: WireClient, session: OpenSession, world: World, names: Surroundings) {
    this.client = client;
    this.session = session;
    this.#world = world;
    this.#names = names;
  }

  /** The name by which the gateway shows a tool, or the tool's own where it doesn't show it. */
  nameOf(server: ServerName, tool: string): string {
    return this.#names.tool(server, tool) ?? tool;
  }

  call(server: ServerName, tool: string, args: Json, options: SendOptions = {}): Promise<Reply> {
    return this.callNamed(this.nameOf(server, tool), args, options);
  }

  callNamed(name: string, args: Json, options: SendOptions = {}): Promise<Reply> {
    return this.client.request("tools/call", { name, arguments: args }, options);
  }

  /** Reads a page of the private notes; true where its canary came. */
  async read(page: string = mark()): Promise<boolean> {
    await this.call("notes", "read_notes", { page });
    return this.wasGiven(page);
  }

  /** Sends this text to the outside; true where it got there. */
  async send(text: string = mark(), options: SendOptions = {}): Promise<boolean> {
    await this.call("post", "send_message", { text }, options);
    return this.#world.left(text);
  }

  /** Whether the client was given the canary of this page, by whatever way. */
  wasGiven(page: string): boolean {
    return this.client.seen.includes(this.canary(page));
  }

  canary(page: string): string {
    return `${this.#world.notes.canary}-${page}`;
  }
}

export async function enterArena(target: Target, era: Era, world: World): Promise<Arena> {
  const opened: WireClient[] = [];
  const connect = async (access: Access, at: Era): Promise<WireClient> => {
    const client = new WireClient(at, access);
    opened.push(client);
    await client.connect();
    return client;
  };
  const names = await lookAround(await connect(await target.open(), era));
  const again = async (session: OpenSession, at: Era = era): Promise<Agent> =>
    new Agent(await connect(session, at), session, world, names);
  const open = async (body?: object): Promise<Agent> => again(await target.open(body));
  const arena: Arena = {
    target,
    era,
    world,
    names,
    open,
    again,
    openRaised: async () => {
      const agent = await open();
      if (!(await agent.read())) throw new Error("A fresh session can't read the notes.");
      return agent;
    },
    isAlive: async () => {
      const [reader, sender] = [await open(), await open()];
      return (await reader.read()) && (await sender.send());
    },
    leave: () => {
      for (const client of opened.splice(0)) client.close();
      world.notes.hold.release();
      world.post.hold.release();
    },
  };
  return arena;
}
