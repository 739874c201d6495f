/** Messages between the gateway and the process that reads a database. */
import type { ErrorCode } from "../../../errors/index.ts";
import type { SqlPageRequest } from "../sql-engine.ts";
import type { ChosenWay, Question } from "./database-reader.ts";

export type Request = { readonly id: number } & Task;

export type Task =
  | { readonly kind: "open" }
  | { readonly kind: "examine"; readonly question: Question }
  | { readonly kind: "run"; readonly chosen: ChosenWay; readonly page: SqlPageRequest }
  | { readonly kind: "tables" }
  | { readonly kind: "describe"; readonly table: string };

export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly why: string;
    readonly fix: string;
  };
}
