import type { ColumnSpec } from "@dbdepot/exporter/columns/column-spec";

/**
 * A larger database that changes every day. Its networks are reserved for private use (10.0.0.0/8) and documentation
 * (2001:db8::/32), so that its made-up rows concern no real network. The same day always has the same rows.
 */

const IPV4_NETWORKS = 12_000;
const IPV6_NETWORKS = 8000;
/** How many networks in a thousand are not listed on the first day. */
const ABSENT_PER_MILLE = 20;
/** How many rows in a thousand change from one day to the next, and how many disappear. About as many appear again. */
const CHANGED_PER_MILLE = 7;
const REMOVED_PER_MILLE = 1.5;
const ADDED_PER_MILLE = 75;

const PROVIDERS = ["example-net", "example-com", "example-org"];
const COUNTRIES = ["AT", "BR", "CA", "DE", "FR", "GB", "IN", "JP", "NL", "PL", "SE", "SG", "US", "ZA"];
const USES = ["cloud", "hosting", "proxy", "vpn"];
const FIRST_DOCUMENTATION_ASN = 64496;

export const NETWORK_COLUMNS: readonly ColumnSpec[] = [
  { name: "network", type: "network", description: "Network described by the row." },
  { name: "provider", description: "Id of the provider in hosting_provider." },
  { name: "asn", type: "uint32", description: "AS that announces the network." },
  { name: "country", description: "Where its servers are, as an ISO 3166 code." },
  { name: "use", description: "What most of its addresses are used for." },
  { name: "risk", type: "uint16", description: "Share of abuse reports, from 0 to 100." },
];

export interface NetworkRow {
  [column: string]: string | number;
  network: string;
  provider: string;
  asn: number;
  country: string;
  use: string;
  risk: number;
}

/** The rows of each day, oldest first. */
export function networksByDay(days: number): NetworkRow[][] {
  const random = randomOf(20_261_117);
  const chance = (perMille: number) => random() * 1000 < perMille;
  const rows = allNetworks().map((network) => newRow(network, random));
  const isListed = rows.map(() => !chance(ABSENT_PER_MILLE));
  const result: NetworkRow[][] = [];
  for (let day = 0; day < days; day++) {
    if (day > 0) {
      for (const [i, row] of rows.entries()) {
        if (chance(isListed[i] ? REMOVED_PER_MILLE : ADDED_PER_MILLE)) isListed[i] = !isListed[i];
        if (chance(CHANGED_PER_MILLE)) rows[i] = changedRow(row, random);
      }
    }
    result.push(rows.filter((_, i) => isListed[i]));
  }
  return result;
}

function allNetworks(): string[] {
  return [
    ...Array.from({ length: IPV4_NETWORKS }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`),
    ...Array.from({ length: IPV6_NETWORKS }, (_, i) => `2001:db8:${(i + 1).toString(16)}::/48`),
  ];
}

function newRow(network: string, random: () => number): NetworkRow {
  const provider = pick(PROVIDERS, random);
  return {
    network,
    provider,
    asn: FIRST_DOCUMENTATION_ASN + PROVIDERS.indexOf(provider),
    country: pick(COUNTRIES, random),
    use: pick(USES, random),
    risk: Math.floor(random() ** 3 * 101),
  };
}

/** Most changes concern the risk, some the use. */
function changedRow(row: NetworkRow, random: () => number): NetworkRow {
  if (random() < 0.15) return { ...row, use: pick(USES, random) };
  return { ...row, risk: (row.risk + 1 + Math.floor(random() * 20)) % 101 };
}

function pick(values: readonly string[], random: () => number): string {
  return values[Math.floor(random() * values.length)] as string;
}

/** Mulberry32: a small generator of pseudorandom numbers from 0 to 1, so that every demo has the same data. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
