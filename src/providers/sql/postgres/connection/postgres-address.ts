/** Where a PostgreSQL database is, as a policy declares it. Known without the driver. */
export interface PostgresAddress {
  /** `postgres://user:password@host:port/database`; what stands beside it goes before it. */
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly user?: string;
  readonly password?: string;
  /** The schema of names without one. */
  readonly schema: string;
  /** Whether the connection is encrypted, and the server's certificate verified. */
  readonly tls: boolean;
}
