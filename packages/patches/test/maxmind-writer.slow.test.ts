import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { maxmindLines, type WriterOptions, writeMaxmind } from "../../../rigs/harness/maxmind-writer.ts";
import { needs } from "../../../rigs/harness/needs.ts";
import { makePatch } from "../src/index.ts";
import { useFolder } from "./folder.ts";
import { throughPatch } from "./histories.ts";

const folder = useFolder();
const path = (name: string) => join(folder(), name);

it.each<WriterOptions & { networks: number }>([
  { ipVersion: 4, recordSizeBits: 24, hasAliases: false, networks: 5000 },
  { ipVersion: 4, recordSizeBits: 28, hasAliases: false, networks: 5000 },
  { ipVersion: 4, recordSizeBits: 32, hasAliases: false, networks: 5000 },
  { ipVersion: 6, recordSizeBits: 24, hasAliases: true, networks: 5000 },
  { ipVersion: 6, recordSizeBits: 32, hasAliases: false, networks: 5000 },
  { ipVersion: 6, recordSizeBits: 28, hasAliases: true, networks: 40_000 },
])("an mmdb of MaxMind::DB::Writer is patched: %o", needs("MaxMind::DB::Writer"), async ({ networks, ...options }) => {
  await Promise.all(
    (["none", "hundredth", "times"] as const).map((change) =>
      writeMaxmind(path(change), maxmindLines(networks, change), options),
    ),
  );
  const from = await readFile(path("none"));
  for (const [change, maxShare] of [
    ["hundredth", 0.05],
    ["times", 0.25],
  ] as const) {
    const to = await readFile(path(change));
    const { bytes } = await makePatch("mmdb", path("none"), path(change), path(`${change}.patch`), {
      maxPatchBytes: to.length,
    });
    expect(bytes).toBeLessThan(to.length * maxShare);
    expect((await throughPatch("mmdb", from, to, folder())).equals(to)).toBe(true);
  }
});
