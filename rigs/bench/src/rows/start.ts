import { createDemo } from "../../../harness/server.ts";
import type { Bench } from "../bench.ts";
import { requestFor } from "../data/customers.ts";
import type { Result } from "../result.ts";
import { startRow } from "./growth.ts";

/** Measures the time from the start of the process to the first response. */
export async function* demoStartRow(bench: Bench): AsyncGenerator<Result> {
  const data = { dataDir: bench.newPath("demo") };
  const { customers } = await createDemo(data);
  const key = customers.find(({ standing }) => standing === "licensed")?.key ?? "";
  yield await startRow(bench, "start, demo data", data, requestFor.metadata({ key, databaseId: "bogon_ip_v1" }), 1.5);
}
