import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { findNetworkKey } from "@dbdepot/exporter/columns/network-key";
import type { Build } from "../build.ts";

/**
 * The columns that identify a row of the csv.gz: those that hold its network, found by their names as the exporter does, or
 * by their type; otherwise the first column. Expects a build with a valid metadata document.
 */
export function keyColumnsOf({ metadata }: Pick<Build, "metadata">): string[] {
  const columns = (JSON.parse(metadata.toString("utf8")) as DatabaseMetadata).schema.csvgz ?? [];
  const names = columns.map(({ name }) => name);
  const found = findNetworkKey(names, []);
  if (found) return ("network" in found ? [found.network] : [found.first, found.last]).map((i) => names[i] as string);
  const network = columns.find(({ type }) => type === "cidr") ?? columns[0];
  return network ? [network.name] : [];
}
