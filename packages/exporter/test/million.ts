import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportDatabase } from "../src/export.ts";
import type { ObjectRow } from "../src/input/object-rows.ts";

// `node packages/exporter/test/million.ts ipv4|ipv6|both [rows] [csvgz,mmdb]` exports that many networks and times it.

const [kind = "both", rowsText = "1000000", formats] = process.argv.slice(2);

let state = 42;
/** Returns the same sequence in each run. */
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

function* rows(count: number): Generator<ObjectRow> {
  for (let i = 0; i < count; i++) {
    const isIpv6 = kind === "ipv6" || (kind === "both" && i % 2 === 1);
    yield {
      network: isIpv6 ? ipv6Network() : `${1 + random(220)}.${random(256)}.${random(256)}.${random(256)}/32`,
      provider: `Provider ${random(500)}`,
      hostname: `host-${i}.example.net`,
      asn: random(2 ** 20),
      is_vpn: random(2) === 1,
      score: (random(1000) / 100).toFixed(2),
    };
  }
}

function ipv6Network(): string {
  const groups = [0x2400 + random(0x400), random(0x10000), random(0x10000), random(0x10000)];
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}

const outDir = await mkdtemp(join(tmpdir(), "dbdepot-million-"));
try {
  const started = performance.now();
  const { entries, files } = await exportDatabase({
    id: "million_ip_v1",
    input: rows(Number(rowsText)),
    outDir,
    updated: "2026-01-02",
    ...(formats !== undefined && { formats: formats.split(",") as ("csvgz" | "mmdb")[] }),
  });
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const result = {
    kind,
    entries,
    seconds: Math.round((performance.now() - started) / 100) / 10,
    cpuSeconds: Math.round((userCPUTime + systemCPUTime) / 1e5) / 10,
    peakMegabytes: Math.round(maxRSS / 1000),
    csvgzBytes: files.csvgz?.sizeBytes,
    mmdbBytes: files.mmdb?.sizeBytes,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  await rm(outDir, { recursive: true });
}
