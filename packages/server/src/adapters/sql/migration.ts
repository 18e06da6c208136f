import type { Engine, Queries } from "./connection.ts";

/** One step of the schema, forward only. It runs inside the transaction of `migrate`. */
export interface Migration {
  name: string;
  up(transaction: Queries, engine: Pick<Engine, "name" | "textType" | "bytesType">): Promise<void>;
}
