import { type ParsedRange, parseNetwork, parseRange } from "../mmdb/network.ts";
import type { ColumnSpec, KeyType } from "./column-spec.ts";
import type { ColumnType } from "./column-type.ts";

/** The indexes of the columns that hold the network of a row. */
export type NetworkKey = { network: number } | { first: number; last: number };

// These are the names that public feeds use, the least ambiguous first.
const NETWORK_NAMES = ["network", "cidr", "prefix", "ip_network", "subnet"];
const RANGE_NAMES = [
  ["first_ip", "last_ip"],
  ["start_ip", "end_ip"],
  ["ip_start", "ip_end"],
  ["ip_from", "ip_to"],
  ["range_start", "range_end"],
  ["first_address", "last_address"],
  ["start_address", "end_address"],
] as const;
const ADDRESS_NAMES = ["ip", "ip_address", "address"];

/** Undefined if no column contains networks. Specs take precedence over column names. */
export function findNetworkKey(header: readonly string[], specs: readonly ColumnSpec[]): NetworkKey | undefined {
  return keyFromSpecs(header, specs) ?? keyFromNames(header, specs);
}

/** Returns a fault if the types in the specs contradict each other. */
export function networkKeyFault(specs: readonly ColumnSpec[]): string | undefined {
  const count = (type: KeyType) => specs.filter((spec) => spec.type === type).length;
  if (count("network") > 1 || count("first_ip") > 1 || count("last_ip") > 1) {
    return "columns: a row has one network, so only one column can have each of the types network, first_ip and last_ip";
  }
  if (count("first_ip") !== count("last_ip")) return "columns: first_ip and last_ip must be used together";
  if (count("network") + count("first_ip") > 1)
    return "columns: use either network, or first_ip and last_ip, but not both";
  return undefined;
}

export function isKeyColumn(key: NetworkKey, index: number): boolean {
  return "network" in key ? index === key.network : index === key.first || index === key.last;
}

/**
 * The type of a network column. Undefined if it must be inferred, because a column of addresses may also contain
 * networks.
 */
export function keyColumnType(key: NetworkKey, name: string, given: ColumnType | undefined): ColumnType | undefined {
  if ("first" in key) return "ip";
  if (given === undefined) return ADDRESS_NAMES.includes(name.toLowerCase()) ? undefined : "cidr";
  return given === "ip" ? undefined : given;
}

export function rangeOfRow(key: NetworkKey, cells: readonly string[]): ParsedRange {
  if ("network" in key) return parseNetwork(cells[key.network] ?? "");
  return parseRange(cells[key.first] ?? "", cells[key.last] ?? "");
}

function keyFromSpecs(header: readonly string[], specs: readonly ColumnSpec[]): NetworkKey | undefined {
  const indexOfType = (type: KeyType) => {
    const spec = specs.find((candidate) => candidate.type === type);
    return spec === undefined ? -1 : header.indexOf(spec.name);
  };
  const [network, first, last] = [indexOfType("network"), indexOfType("first_ip"), indexOfType("last_ip")];
  if (network !== -1) return { network };
  return first !== -1 && last !== -1 ? { first, last } : undefined;
}

function keyFromNames(header: readonly string[], specs: readonly ColumnSpec[]): NetworkKey | undefined {
  const names = header.map((name) => {
    const type = specs.find((spec) => spec.name === name)?.type;
    // An explicit type takes precedence over the name.
    return type === undefined || type === "ip" || type === "cidr" ? name.toLowerCase() : "";
  });
  const network = NETWORK_NAMES.find((name) => names.includes(name));
  if (network !== undefined) return { network: names.indexOf(network) };
  const range = RANGE_NAMES.find(([first, last]) => names.includes(first) && names.includes(last));
  if (range !== undefined) return { first: names.indexOf(range[0]), last: names.indexOf(range[1]) };
  const address = ADDRESS_NAMES.find((name) => names.includes(name));
  return address === undefined ? undefined : { network: names.indexOf(address) };
}
