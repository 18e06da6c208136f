import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { formatCsvRow } from "@dbdepot/formats/csv/write";
import { GZIP_OPTIONS } from "@dbdepot/formats/gzip";
import { METADATA_MARKER } from "@dbdepot/formats/mmdb/layout";
import type { Random } from "../../../rigs/harness/random.ts";
import { buildMmdb } from "../../exporter/test/mmdb/build-mmdb.ts";
import { applyPatch, makePatch, type PatchKind } from "../src/index.ts";
import { buildForeignMmdb, type ForeignStyle } from "./foreign-mmdb.ts";

// A history is a sequence of builds. A customer who has any of them must arrive at the last one, byte for byte.

interface Row {
  network: string;
  name: string;
  asn: number;
  isVpn: boolean;
}

type Families = "ipv4" | "ipv6" | "both";

/** How a csv.gz is written, which may differ from one build to the next. */
interface CsvStyle {
  lineEnd: "\n" | "\r\n";
  hasFinalLineEnd: boolean;
  level: number;
}

interface Build {
  rows: readonly Row[];
  style: CsvStyle;
  /** Undefined if our exporter writes the mmdb. */
  foreign: ForeignStyle | undefined;
  /** Whether a byte that is no value follows the values of the mmdb. */
  isUnreadable: boolean;
  day: number;
  /** Whether each row has the day in it. */
  isDated: boolean;
}

const NAMES = [
  "Acme",
  "Beta, Inc",
  'The "Net"',
  "two\nlines",
  "",
  "Zürich",
  "a name that is longer than any pointer to it",
];
const HOT_IPV4 = ["10.0.0.0", "192.168.0.0", "1.2.3.0"];
const HOT_IPV6 = ["2001:db8", "2400:cb00", "2002:102", "2001:0"];

/** Two to five builds. */
export function randomHistory(random: Random): Build[] {
  const families = random.pick<Families>(["ipv4", "ipv6", "both"]);
  const count = random.pick([0, 1, 2, 10, 60]);
  let rows = Array.from({ length: count }, () => randomRow(random, families));
  const style: CsvStyle = {
    lineEnd: random.chance(0.1) ? "\r\n" : "\n",
    hasFinalLineEnd: random.chance(0.9),
    level: random.pick([6, 6, 6, 1, 9]),
  };
  const foreign = random.chance(0.6) ? randomForeignStyle(random, families) : undefined;
  const isDated = random.chance(0.3);
  const isUnreadable = random.chance(0.1);
  const builds: Build[] = [{ rows, style, foreign, isUnreadable, isDated, day: 0 }];
  for (let day = random.integer(1, 4); day > 0; day--) {
    // A rollback, or the same data again.
    if (random.chance(0.1)) {
      builds.push(random.pick(builds));
      continue;
    }
    rows = changed(random, rows, random.chance(0.1) ? random.pick<Families>(["ipv4", "ipv6", "both"]) : families);
    const isOddDay = random.chance(0.05);
    builds.push({
      rows,
      style: isOddDay ? { lineEnd: "\r\n", hasFinalLineEnd: false, level: 4 } : style,
      foreign: isOddDay ? randomForeignStyle(random, families) : foreign,
      isUnreadable: isOddDay ? !isUnreadable : isUnreadable,
      isDated,
      day,
    });
  }
  return builds;
}

function randomForeignStyle(random: Random, families: Families): ForeignStyle {
  return {
    recordSizeBits: random.pick([24, 28, 32]),
    ipVersion: families === "ipv4" ? random.pick([4, 6]) : 6,
    nodeOrder: random.chance(0.8) ? "depth" : "breadth",
    valueOrder: random.chance(0.8) ? "first" : "last",
    hasAliases: random.chance(0.5),
  };
}

/** Takes a customer from some build to the last one. Throws if that fails. */
export async function followHistory(
  random: Random,
  builds: readonly Build[],
  kind: PatchKind,
  folder: string,
): Promise<void> {
  // A customer may have missed any number of builds.
  const from = fileOf(builds[random.integer(0, builds.length - 2)] as Build);
  const to = fileOf(builds.at(-1) as Build);
  const patched = await throughPatch(kind, from, to, folder);
  if (!patched.equals(to)) throw new Error(`the patched ${kind} differs`);

  function fileOf(build: Build): Buffer {
    if (kind === "csvgz") return csvgzOf(build);
    const mmdb = mmdbOf(build);
    const end = mmdb.lastIndexOf(METADATA_MARKER);
    return build.isUnreadable ? Buffer.concat([mmdb.subarray(0, end), Buffer.alloc(1), mmdb.subarray(end)]) : mmdb;
  }
}

export function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Makes a patch and applies it. */
export async function throughPatch(kind: PatchKind, from: Buffer, to: Buffer, folder: string): Promise<Buffer> {
  const [base, result, patch, patched] = ["base", "result", "patch", "patched"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  await writeFile(base, from);
  await writeFile(result, to);
  await Promise.all([rm(patch, { force: true }), rm(patched, { force: true })]);
  await makePatch(kind, base, result, patch, { maxPatchBytes: Number.POSITIVE_INFINITY });
  await applyPatch(kind, base, patch, patched, { resultBytes: to.length, resultSha256: sha256Of(to) });
  return readFile(patched);
}

function csvgzOf({ rows, style, isDated, day }: Build): Buffer {
  const format = { lineEnd: style.lineEnd, needsQuotes: /[",\r\n]/ };
  const date = isDated ? `2026-01-0${day + 1}` : "never";
  const lines = rows.map(({ network, name, asn, isVpn }) =>
    formatCsvRow([network, name, `${asn}`, date, `${isVpn}`], format),
  );
  let text = formatCsvRow(["network", "name", "asn", "seen", "is_vpn"], format) + lines.join("");
  if (!style.hasFinalLineEnd) text = text.slice(0, -style.lineEnd.length);
  return gzipSync(text, { ...GZIP_OPTIONS, level: style.level });
}

function mmdbOf({ rows, foreign, isDated, day }: Build): Buffer {
  const date = isDated ? `2026-01-0${day + 1}T00:00:00Z` : "never";
  if (foreign) {
    const isIncluded = ({ network }: Row) => foreign.ipVersion === 6 || !network.includes(":");
    return buildForeignMmdb(
      rows
        .filter(isIncluded)
        .map(({ network, name, asn, isVpn }) => [
          network,
          { name, asn, is_vpn: isVpn, seen: date, provider: { name, tags: [name, `${day} days`] } },
        ]),
      foreign,
    );
  }
  return buildMmdb(
    rows.map(({ network, name, asn, isVpn }) => [
      network,
      {
        type: "map",
        value: [
          ["name", { type: "string", value: name }],
          ["asn", { type: "uint32", value: asn }],
          ["is_vpn", { type: "boolean", value: isVpn }],
          ["seen", { type: "string", value: date }],
          [
            "tags",
            {
              type: "array",
              value: [
                { type: "string", value: name },
                { type: "string", value: `${day} days` },
              ],
            },
          ],
        ],
      },
    ]),
  ).file;
}

function changed(random: Random, rows: readonly Row[], families: Families): Row[] {
  const rate = random.pick([0, 0.02, 0.1, 0.5, 1]);
  const kept = rows
    .filter(() => !random.chance(rate * 0.3))
    .map((row) => (random.chance(rate) ? edited(random, row) : row));
  for (let added = random.integer(0, Math.ceil(rows.length * rate * 0.5)); added > 0; added--) {
    // Some rows repeat another one.
    const row = random.chance(0.2) && kept.length > 0 ? random.pick(kept) : randomRow(random, families);
    kept.splice(random.integer(0, kept.length), 0, row);
  }
  return random.chance(0.1) ? shuffled(random, kept) : kept;
}

function edited(random: Random, row: Row): Row {
  return random.pick<(row: Row) => Row>([
    (old) => ({ ...old, name: random.pick(NAMES) }),
    (old) => ({ ...old, asn: random.integer(0, 99) }),
    (old) => ({ ...old, isVpn: !old.isVpn }),
    (old) => ({ ...old, name: `Provider ${random.integer(0, 9999)}`, asn: random.integer(0, 2 ** 32 - 1) }),
  ])(row);
}

function randomRow(random: Random, families: Families): Row {
  const isIpv6 = families === "ipv6" || (families === "both" && random.chance(0.5));
  return {
    network: isIpv6 ? randomIpv6(random) : randomIpv4(random),
    name: random.pick(NAMES),
    asn: random.integer(0, 99),
    isVpn: random.chance(0.5),
  };
}

/** Most networks are near each other, so that they nest, touch and repeat. */
function randomIpv4(random: Random): string {
  const bits = random.pick([0, 8, 16, 20, 24, 29, 31, 32]);
  const hot = random.pick(HOT_IPV4).split(".").map(Number) as [number, number, number, number];
  const [a, b, c] = random.chance(0.8) ? hot : [random.integer(0, 255), random.integer(0, 255), random.integer(0, 255)];
  const address =
    a * 2 ** 24 + b * 2 ** 16 + (random.chance(0.5) ? c : random.integer(0, 3)) * 256 + random.integer(0, 255);
  const first = bits === 0 ? 0 : Math.floor(address / 2 ** (32 - bits)) * 2 ** (32 - bits);
  return `${[24, 16, 8, 0].map((shift) => (first >>> shift) & 255).join(".")}/${bits}`;
}

function randomIpv6(random: Random): string {
  const bits = random.pick([0, 12, 16, 32, 48, 64, 128]);
  const [first = 0, second = 0] = random
    .pick(HOT_IPV6)
    .split(":")
    .map((group) => Number.parseInt(group, 16));
  const third = random.integer(0, 3);
  const group = (value: number, from: number) => {
    const kept = Math.min(16, Math.max(0, bits - from));
    return (value & (0xffff << (16 - kept)) & 0xffff).toString(16);
  };
  const last = bits === 128 ? random.integer(1, 3) : 0;
  return `${group(first, 0)}:${group(second, 16)}:${group(third, 32)}:0:0:0:0:${last.toString(16)}/${bits}`;
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
