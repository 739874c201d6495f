/**
 * What is stored of the sign-ins to one server: tokens, unfinished sign-ins, registered clients. All of it is
 * encrypted; the journal records who signed in or out, and at which issuer.
 */
import { hash } from "node:crypto";
import { parseJson } from "../../../json/parse-json.ts";
import type { SealedValues } from "../../../runtime/internal.ts";
import type { OAuthClient } from "./client-registration.ts";
import type { Tokens } from "./token-requests.ts";

/** The principal that owns the tokens; null for the gateway. */
export type Owner = string | null;

/** An unfinished sign-in. Plain JSON data. */
export interface Pending extends Pick<Tokens, "source" | "client"> {
  /** Hashes. */
  readonly state: string;
  readonly browser: string | null;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** An entry of the gateway's journal. */
type Event = { readonly kind: string } & Readonly<Record<string, string>>;

/** The authorization server and the redirect address of a registration. */
interface Registration {
  readonly issuer: string;
  readonly redirectUri: string;
}

export class SignInRecords {
  readonly #server: string;
  readonly #values: Pick<SealedValues, "read" | "names" | "write">;

  constructor(server: string, values: Pick<SealedValues, "read" | "names" | "write">) {
    this.#server = server;
    this.#values = values;
  }

  tokens(owner: Owner): Promise<Tokens | null> {
    return this.#read(this.tokensName(owner));
  }

  /** The name under which an owner's tokens are stored. */
  tokensName(owner: Owner): string {
    return this.#nameOf("tokens", owner);
  }

  pending(owner: Owner): Promise<Pending | null> {
    return this.#read(this.#nameOf("pending", owner));
  }

  client(registration: Registration): Promise<OAuthClient | null> {
    return this.#read(this.#clientName(registration));
  }

  /** The principals that have tokens of their own. */
  async principals(): Promise<readonly string[]> {
    const beginning = this.#nameOf("tokens", "");
    return (await this.#values.names(beginning)).map((name) => name.slice(beginning.length));
  }

  /** Null deletes them. Without an event, nothing is recorded in the journal. */
  keepTokens(owner: Owner, tokens: Tokens | null, event?: Event): Promise<void> {
    return this.#write(this.tokensName(owner), tokens, event && this.#entry(owner, event, tokens));
  }

  keepPending(owner: Owner, pending: Pending | null): Promise<void> {
    return this.#write(this.#nameOf("pending", owner), pending);
  }

  keepClient(registration: Registration, client: OAuthClient): Promise<void> {
    const data = { server: this.#server, issuer: registration.issuer };
    return this.#write(this.#clientName(registration), client, { kind: "client-registered", data });
  }

  /** Deletes the clients that were registered for this server. */
  async forgetClients(): Promise<void> {
    const names = await this.#values.names(`oauth:${this.#server}:client:`);
    await this.#values.write(names.map((name) => ({ name, value: null })));
  }

  async #read<Value>(name: string): Promise<Value | null> {
    const text = await this.#values.read(name);
    // INVARIANT: a value that decrypts with the gateway's key, under this name, was written by `#write`.
    return text === null ? null : parseJson(text);
  }

  #write(name: string, value: object | null, entry?: Parameters<SealedValues["write"]>[1]): Promise<void> {
    return this.#values.write([{ name, value: value && JSON.stringify(value) }], entry);
  }

  #entry(owner: Owner, { kind, ...said }: Event, value: Pick<Tokens, "source"> | null) {
    const issuer = value === null ? {} : { issuer: value.source.issuer };
    const principal = owner === null ? {} : { principal: owner };
    return { kind, data: { server: this.#server, ...principal, ...issuer, ...said } };
  }

  #nameOf(kind: "tokens" | "pending", owner: Owner): string {
    return `oauth:${this.#server}:${kind}:${owner === null ? "gateway" : `principal:${owner}`}`;
  }

  #clientName({ issuer, redirectUri }: Registration): string {
    return `oauth:${this.#server}:client:${hash("sha256", `${issuer} ${redirectUri}`)}`;
  }
}
