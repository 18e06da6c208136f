import { execFileSync, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import type { ExportOptions } from "../src/options.ts";
import { exportAndRead, exportText, faultsOf, filesIn, inDir, useFolder, VPN } from "./exporting.ts";

useFolder();

const MMDBLOOKUP = "mmdblookup";
const ZCAT = "zcat";

/** Row i has the address 10.x.y.z, where x.y.z is i. */
function* numberedRows(count: number) {
  for (let i = 0; i < count; i++) yield { ip: addressOf(i), number: i, note: `row ${i}` };
}

function addressOf(number: number): string {
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}

async function exportNumbered(count: number, sampleRows: number, options: Partial<ExportOptions> = {}) {
  const made = await exportAndRead({ input: numberedRows(count), sampleRows, ...options });
  const csv = made.sample?.files.csvgz && gunzipSync(await readFile(made.sample.files.csvgz.path)).toString();
  const numbers = csv
    ?.split("\n")
    .slice(1, -1)
    .map((line) => Number(line.split(",")[1]));
  return { ...made, sampleCsv: csv, numbers: numbers ?? [] };
}

describe("a sample", () => {
  it("is written next to the full files and described in the metadata", async () => {
    const made = await exportNumbered(10_000, 100);
    expect((await filesIn("out")).sort()).toEqual([
      "vpn_ip_v1.csv.gz",
      "vpn_ip_v1.metadata.json",
      "vpn_ip_v1.mmdb",
      "vpn_ip_v1.sample.csv.gz",
      "vpn_ip_v1.sample.mmdb",
    ]);
    const { csvgz, mmdb } = made.sample?.files ?? {};
    expect([made.entries, made.sample?.entries]).toEqual([10_000, 100]);
    expect(JSON.parse(made.metadataText)).toMatchObject({
      entries: 10_000,
      sample_entries: 100,
      sample_size: { csvgz: csvgz?.sizeBytes, mmdb: mmdb?.sizeBytes },
    });
    expect((await readFile(csvgz?.path ?? "")).length).toBe(csvgz?.sizeBytes);
    expect((await readFile(mmdb?.path ?? "")).length).toBe(mmdb?.sizeBytes);
  });

  it.each([
    [10_000, 100],
    [10_000, 99],
    [1001, 1000],
    [7, 3],
    [5000, 1],
  ])("of %i rows has exactly %i, evenly spread over all of them", async (count, sampleRows) => {
    const { numbers } = await exportNumbered(count, sampleRows);
    expect(numbers).toHaveLength(sampleRows);
    const gaps = [-1, ...numbers].slice(0, -1).map((number, i) => (numbers[i] as number) - number);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(Math.floor(count / sampleRows));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(Math.ceil(count / sampleRows));
    expect(numbers.at(-1)).toBe(count - 1);
  });

  it("has all rows if the input has no more, and a warning says so", async () => {
    const { sampleCsv, csv, sample, warnings } = await exportNumbered(3, 1000);
    expect([sampleCsv, sample?.entries]).toEqual([csv, 3]);
    expect(warnings).toEqual(["the sample contains all rows of the input"]);
  });

  it("of a CSV that has only a header has no rows", async () => {
    const { sample, metadata } = await exportText("network,name\n", { sampleRows: 10 });
    expect([sample?.entries, metadata.sample_entries]).toEqual([0, 0]);
    expect(gunzipSync(await readFile(sample?.files.csvgz?.path ?? "")).toString()).toBe("network,name\n");
  });

  it("has the same bytes each time, and does not change the full files", async () => {
    const first = await exportNumbered(5000, 50);
    const second = await exportNumbered(5000, 50, { outDir: inDir("second") });
    const without = await exportAndRead({ input: numberedRows(5000), outDir: inDir("without") });
    for (const name of ["vpn_ip_v1.sample.csv.gz", "vpn_ip_v1.sample.mmdb", "vpn_ip_v1.metadata.json"]) {
      expect(await readFile(inDir("second", name))).toEqual(await readFile(inDir("out", name)));
    }
    expect([first.csvBytes, first.mmdbBytes]).toEqual([without.csvBytes, without.mmdbBytes]);
    expect(second.sample?.entries).toBe(50);
    expect(without.sample).toBeUndefined();
    expect(Object.keys(without.metadata)).toEqual(["id", "updated", "entries", "schema", "sample", "size"]);
    expect(await filesIn("without")).toHaveLength(3);
  });

  it("has the types of the full file, whatever its own rows look like", async () => {
    // The sample is the last row. On its own, its cell would be inferred to be a number.
    const { sample } = await exportText("network,code\n10.0.0.0/8,x\n11.0.0.0/8,7\n", { sampleRows: 1 });
    const { Reader } = await import("mmdb-lib");
    expect(new Reader(await readFile(sample?.files.mmdb?.path ?? "")).get("11.0.0.1")).toEqual({ code: "7" });
  });

  it("is only csvgz if the build is", async () => {
    const { sample, metadata } = await exportText("asn,name\n64496,a\n64497,b\n", { id: "asn_v1", sampleRows: 1 });
    expect([Object.keys(sample?.files ?? {}), Object.keys(metadata.sample_size ?? {})]).toEqual([["csvgz"], ["csvgz"]]);
    expect(await filesIn("out")).toEqual(["asn_v1.csv.gz", "asn_v1.metadata.json", "asn_v1.sample.csv.gz"]);
  });

  it("needs a number of rows above 0", async () => {
    expect(await faultsOf(exportText(VPN, { sampleRows: 0 }))).toEqual(["sampleRows: 0 is not a whole number above 0"]);
  });

  it("leaves no files behind if the export is stopped while it is written", async () => {
    const stop = new AbortController();
    const onProgress: ExportOptions["onProgress"] = (_, __, stage) => stage === "sample" && stop.abort();
    await expect(exportNumbered(5000, 10, { signal: stop.signal, onProgress })).rejects.toThrow("abort");
    expect(await filesIn("out")).toEqual([]);
  });
});

describe("a sample read by other tools", () => {
  it("can be unpacked with zcat", async () => {
    const { sample, sampleCsv } = await exportNumbered(1000, 4);
    const text = execFileSync(ZCAT, [sample?.files.csvgz?.path ?? ""], { encoding: "utf8" });
    expect(text).toBe(sampleCsv);
    expect(text).toBe(`ip,number,note\n${[249, 499, 749, 999].map((i) => `${addressOf(i)},${i},row ${i}\n`).join("")}`);
  });

  it("is labelled as a sample for mmdblookup, which finds its rows", needs(MMDBLOOKUP), async () => {
    const { sample } = await exportNumbered(1000, 4, { description: "VPN exits" });
    const path = sample?.files.mmdb?.path ?? "";
    const lookUp = (ip: string, ...more: string[]) => spawnSync(MMDBLOOKUP, ["--file", path, "--ip", ip, ...more]);
    const found = lookUp(addressOf(499), "--verbose").stdout.toString();
    expect(found).toContain("vpn_ip_v1_sample");
    expect(found).toContain("VPN exits (sample: 4 of 1000 rows)");
    expect(found).toContain('"row 499"');
    // This row is not in the sample.
    expect(lookUp(addressOf(500)).status).toBe(6);
  });

  it("answers IPv6 lookups like the full file, even without IPv6 rows", needs(MMDBLOOKUP), async () => {
    const { sample } = await exportText("network,a\n2001:db8::/32,1\n10.0.0.0/8,2\n", { sampleRows: 1 });
    const path = sample?.files.mmdb?.path ?? "";
    const ipv6 = spawnSync(MMDBLOOKUP, ["--file", path, "--ip", "2001:db8::1"]);
    expect([ipv6.status, ipv6.stderr.toString()]).toEqual([6, expect.stringContaining("Could not find an entry")]);
    const ipv4 = spawnSync(MMDBLOOKUP, ["--file", path, "--ip", "10.1.2.3", "a"]);
    expect(ipv4.stdout.toString().trim()).toBe("2 <uint32>");
  });
});
