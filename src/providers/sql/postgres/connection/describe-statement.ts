/**
 * Lets the server parse a statement without planning or running it: the first two messages of the extended protocol.
 */
import type { Connection, Submittable } from "pg";

/** A column of a result, and the table column that it is copied from (zeros for any other). */
export interface ResultColumn {
  readonly name: string;
  readonly table: number;
  readonly column: number;
}

interface Protocol {
  parse(statement: { readonly name: string; readonly text: string; readonly types: readonly number[] }): void;
  describe(what: { readonly type: "S"; readonly name: string }): void;
  sync(): void;
}

interface Described {
  readonly fields: readonly { readonly name: string; readonly tableID: number; readonly columnID: number }[];
}

/** For `client.query`, which calls its methods with the server's answers. */
export class DescribeStatement implements Submittable {
  readonly columns: Promise<readonly ResultColumn[]>;
  readonly #text: string;
  readonly #resolve: (columns: readonly ResultColumn[]) => void;
  readonly #reject: (error: Error) => void;
  #found: readonly ResultColumn[] = [];

  constructor(text: string) {
    const { promise, resolve, reject } = Promise.withResolvers<readonly ResultColumn[]>();
    this.columns = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#text = text;
  }

  submit(connection: Connection): void {
    // The driver's types lack these, although its own cursors use them.
    const protocol = connection as unknown as Protocol;
    protocol.parse({ name: "", text: this.#text, types: [] });
    protocol.describe({ type: "S", name: "" });
    protocol.sync();
  }

  handleRowDescription({ fields }: Described): void {
    this.#found = fields.map(({ name, tableID, columnID }) => ({ name, table: tableID, column: columnID }));
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#found);
  }
}
