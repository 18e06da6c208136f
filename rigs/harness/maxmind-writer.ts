import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Random } from "./random.ts";

export interface WriterOptions {
  ipVersion: 4 | 6;
  recordSizeBits: 24 | 28 | 32;
  hasAliases: boolean;
}

/** Whether Perl finds MaxMind::DB::Writer, which Debian has in libmaxmind-db-writer-perl. */
export function hasMaxmindWriter(): boolean {
  return spawnSync("perl", ["-MMaxMind::DB::Writer::Tree", "-e", "1"]).status === 0;
}

/** Writes an mmdb with MaxMind::DB::Writer, which takes a second for 6,000 networks. */
export async function writeMaxmind(path: string, lines: Iterable<string>, options: WriterOptions): Promise<void> {
  const { ipVersion, recordSizeBits, hasAliases } = options;
  const script = join(import.meta.dirname, "maxmind-writer.pl");
  const args = [script, path, `${ipVersion}`, `${recordSizeBits}`, hasAliases ? "1" : "0"];
  const child = spawn("perl", args, { stdio: ["pipe", "ignore", "inherit"] });
  const ended = once(child, "exit");
  await pipeline(Readable.from(lines), child.stdin);
  const [exitCode] = await ended;
  if (exitCode !== 0) throw new Error(`perl ended with ${exitCode}`);
}

/**
 * The changes in the new file: none, other values in a hundredth of the networks and some networks, or also a time in
 * each value.
 */
export type Change = "none" | "hundredth" | "times";

/** Yields the lines of records as they are sold: places that many networks share, numbers, and a time. */
export function* maxmindLines(networks: number, change: Change): Generator<string> {
  yield "network\tcountry:utf8_string\tcity.names.en:utf8_string\tcity.names.de:utf8_string\tasn:uint32\tis_vpn:boolean\tprovider:utf8_string\tseen:uint32\n";
  const random = new Random(1);
  const choices = new Random(2);
  for (let i = 0; i < networks; i++) {
    const isChanged = choices.chance(0.01) && change === "hundredth";
    const isSmaller = choices.chance(0.002) && change === "hundredth";
    const place = random.integer(0, 5000);
    const city = isChanged ? choices.integer(0, 5000) : place;
    const asn = random.integer(0, 60_000);
    const [seen, later] = [random.integer(1_600_000_000, 1_700_000_000), random.integer(1, 86_400)];
    const cells = [
      `${1 + (i >>> 16)}.${(i >>> 8) & 255}.${i & 255}.0/${isSmaller ? 25 : 24}`,
      `C${city % 200}`,
      `City ${city}`,
      `Stadt ${city}`,
      asn,
      asn % 3 === 0 ? 1 : 0,
      `Provider ${isChanged ? choices.integer(0, 9999) : asn % 3000}`,
      change === "times" ? seen + later : seen,
    ];
    yield `${cells.join("\t")}\n`;
  }
}
