import type { Row } from "../row.ts";
import { growthRows } from "./growth.ts";
import { httpRows } from "./http.ts";
import { publishRows } from "./publish.ts";
import { startRows } from "./start.ts";
import { streamRows } from "./streams.ts";

/** In the order of the table; those of a group share servers and data. */
export const ROW_GROUPS: readonly (readonly Row[])[] = [
  httpRows,
  [...streamRows, ...publishRows],
  [...startRows, ...growthRows],
];

export const ROWS: readonly Row[] = ROW_GROUPS.flat();
