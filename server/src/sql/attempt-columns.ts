import type { Schema } from "./schema.ts";

export type AttemptRow = Schema["attempts"];

/** The history's columns with their types. */
export const ATTEMPT_COLUMNS = {
  id: "text",
  api: "text",
  organization_id: "text",
  key_id: "text",
  dataset_id: "text",
  format: "text",
  outcome: "text",
  cause: "text",
  bytes: "bigint",
  http_status: "bigint",
  build_id: "text",
  client_ip: "text",
  user_agent: "text",
  created: "text",
} as const satisfies Record<keyof AttemptRow, string>;

export const ATTEMPT_COLUMN_NAMES = Object.keys(ATTEMPT_COLUMNS) as (keyof AttemptRow)[];
