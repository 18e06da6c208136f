import type { Bench } from "../bench.ts";
import { ask } from "../data/customers.ts";
import type { Result } from "../result.ts";
import { createDemo } from "../server.ts";
import { startRow } from "./growth.ts";

/** From the start of the process to the first response. */
export async function* demoStartRow(bench: Bench): AsyncGenerator<Result> {
  const place = { dataDir: bench.newPath("demo") };
  const key = await createDemo(place);
  yield await startRow(bench, "start, demo data", place, ask.metadata({ key, databaseId: "bogon_ip_v1" }), 1);
}
