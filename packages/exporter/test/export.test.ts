import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { programEnvironment } from "../../../rigs/harness/program-environment.ts";
import { parseColumnSpecs } from "../src/columns/column-spec.ts";
import { exportAndRead, exportText, inDir, useFolder, VPN } from "./exporting.ts";

useFolder();

describe("exportDatabase", () => {
  it("writes every row to the csv.gz", async () => {
    const { csv, entries, files } = await exportText(VPN);
    expect(csv).toBe(VPN);
    expect(entries).toBe(3);
    expect(files.csvgz?.path).toBe(inDir("out", "vpn_ip_v1.csv.gz"));
  });

  it("writes a record for each network to the mmdb, without empty cells", async () => {
    const { lookUp, reader, files } = await exportText(VPN, { description: "VPN exits" });
    expect(lookUp("1.2.3.5")).toEqual({ provider: "Acme, Inc", asn: 64_496, is_vpn: true, score: 0.5 });
    expect(lookUp("1.2.3.4")).toEqual({ provider: "Beta", asn: 64_497, is_vpn: false });
    expect(lookUp("2001:db8::1")).toEqual({ provider: "Acme", asn: 64_496, is_vpn: true, score: 1.25 });
    expect(lookUp("1.2.4.0")).toBeNull();
    expect(files.mmdb?.path).toBe(inDir("out", "vpn_ip_v1.mmdb"));
    expect(reader?.metadata).toMatchObject({
      databaseType: "vpn_ip_v1",
      description: { en: "VPN exits" },
      buildEpoch: new Date("2026-01-02T00:00:00Z"),
    });
  });

  it("describes the files in the metadata document", async () => {
    const built = await exportText(VPN, {
      updateFreq: "daily",
      columns: parseColumnSpecs("asn:uint64:Who announces it\nnetwork::The network"),
    });
    expect(JSON.parse(built.metadataText)).toEqual({
      id: "vpn_ip_v1",
      update_freq: "daily",
      updated: "2026-01-02",
      entries: 3,
      schema: {
        csvgz: [
          { name: "network", type: "cidr", description: "The network" },
          { name: "provider", type: "string" },
          { name: "asn", type: "uint64", description: "Who announces it" },
          { name: "is_vpn", type: "boolean" },
          { name: "score", type: "double" },
        ],
        mmdb: [
          { name: "provider", type: "string" },
          { name: "asn", type: "uint64", description: "Who announces it" },
          { name: "is_vpn", type: "boolean" },
          { name: "score", type: "double" },
        ],
      },
      sample: {
        csvgz: [
          { network: "1.2.3.0/24", provider: "Acme, Inc", asn: 64_496, is_vpn: true, score: 0.5 },
          { network: "1.2.3.4/32", provider: "Beta", asn: 64_497, is_vpn: false, score: null },
          { network: "2001:db8::/32", provider: "Acme", asn: 64_496, is_vpn: true, score: 1.25 },
        ],
        mmdb: [
          { provider: "Acme, Inc", asn: 64_496, is_vpn: true, score: 0.5 },
          { provider: "Beta", asn: 64_497, is_vpn: false, score: null },
          { provider: "Acme", asn: 64_496, is_vpn: true, score: 1.25 },
        ],
      },
      size: { csvgz: built.csvBytes?.length, mmdb: built.mmdbBytes?.length },
    });
    expect(built.metadata).toEqual(JSON.parse(built.metadataText));
    expect(built.lookUp("1.2.3.5")).toMatchObject({ asn: 64_496n });
  });

  it("includes at most five sample rows with exactly the schema's columns", async () => {
    const rows = Array.from({ length: 9 }, (_, i) => ({ ip: `10.0.0.${i}`, a: i % 2 === 0 ? i : null, b: "x" }));
    const { metadata } = await exportAndRead({ input: rows });
    for (const format of ["csvgz", "mmdb"] as const) {
      const names = metadata.schema[format]?.map(({ name }) => name);
      const sample = metadata.sample?.[format] ?? [];
      expect(sample).toHaveLength(5);
      for (const row of sample) expect(Object.keys(row)).toEqual(names);
    }
  });

  it("accepts ranges of addresses", async () => {
    const { lookUp, metadata } = await exportText("first_ip,last_ip,id\n10.0.0.3,10.0.0.9,1\n10.0.0.0,10.0.1.0,2\n");
    expect(["10.0.0.2", "10.0.0.3", "10.0.0.9", "10.0.0.10", "10.0.1.0", "10.0.1.1"].map(lookUp)).toEqual([
      { id: 2 },
      { id: 1 },
      { id: 1 },
      { id: 2 },
      { id: 2 },
      null,
    ]);
    expect(metadata.schema.csvgz?.map(({ type }) => type)).toEqual(["ip", "ip", "uint32"]);
    expect(metadata.schema.mmdb?.map(({ name }) => name)).toEqual(["id"]);
  });

  it("reads gzip, CRLF and a byte order mark, and writes plain lines", async () => {
    const plain = await exportText(VPN);
    const dressed = await exportText(gzipSync(`\ufeff${VPN.replaceAll("\n", "\r\n")}`));
    expect(dressed.csvBytes).toEqual(plain.csvBytes);
    expect(dressed.mmdbBytes).toEqual(plain.mmdbBytes);
  });

  it("gives the same files for row objects", async () => {
    async function* rows() {
      yield { network: "1.2.3.0/24", provider: "Acme, Inc", asn: 64_496, is_vpn: true, score: "0.50" };
      yield { network: "1.2.3.4/32", provider: "Beta", asn: 64_497n, is_vpn: false };
      yield { provider: "Acme", network: "2001:db8::/32", asn: 64_496, is_vpn: true, score: 1.25 };
    }
    const fromFile = await exportText(VPN);
    const fromRows = await exportAndRead({ input: rows() });
    expect(fromRows.csvBytes).toEqual(fromFile.csvBytes);
    expect(fromRows.mmdbBytes).toEqual(fromFile.mmdbBytes);
    expect(fromRows.metadataText).toEqual(fromFile.metadataText);
  });

  it("gives the same bytes for the same input in another process and time zone", async () => {
    const script = `
      const { exportDatabase } = await import(${JSON.stringify(new URL("../src/export.ts", import.meta.url).href)});
      await exportDatabase({ id: "vpn_ip_v1", input: process.argv[1], outDir: process.argv[2], updated: "2026-01-02" });`;
    // The input is long enough that the compression level affects the output.
    const rows = Array.from(
      { length: 3000 },
      (_, i) => `10.${i % 7}.${i >> 8}.${i & 255}/32,p${(i * i) % 97},${i},true,${i / 4}`,
    );
    const first = await exportText(`${VPN}${rows.join("\n")}\n`);
    const other = inDir("other");
    // The files must not depend on the process, its clock or its time zone.
    const environment = { ...programEnvironment(), TZ: "Asia/Tokyo" };
    execFileSync(process.execPath, ["--input-type=module", "-e", script, inDir("input.csv"), other], {
      env: environment,
    });
    expect(await readFile(join(other, "vpn_ip_v1.csv.gz"))).toEqual(first.csvBytes);
    expect(await readFile(join(other, "vpn_ip_v1.mmdb"))).toEqual(first.mmdbBytes);
    expect(await readFile(join(other, "vpn_ip_v1.metadata.json"), "utf8")).toEqual(first.metadataText);
    expect(first.csvBytes?.subarray(0, 8).toString("hex")).toBe("1f8b080000000000");
  });

  it("accepts a CSV that has only a header", async () => {
    const { entries, csv, lookUp, metadata } = await exportText("network,name\n");
    expect([entries, csv, lookUp("1.2.3.4")]).toEqual([0, "network,name\n", null]);
    expect(metadata.sample).toEqual({ csvgz: [], mmdb: [] });
  });

  it("stores addresses in other columns as strings, and omits empty ones", async () => {
    const { lookUp, metadata } = await exportText("network,gateway,name\n10.0.0.0/8,10.0.0.1,\n11.0.0.0/8,,x\n");
    expect([lookUp("10.2.3.4"), lookUp("11.2.3.4")]).toEqual([{ gateway: "10.0.0.1" }, { name: "x" }]);
    expect(metadata.schema.csvgz?.[1]).toEqual({ name: "gateway", type: "ip" });
    expect(metadata.schema.mmdb?.[0]).toEqual({ name: "gateway", type: "string" });
  });

  it("accepts a plain list of networks", async () => {
    const { lookUp, metadata } = await exportText("network\n10.0.0.0/8\n");
    expect([lookUp("10.0.0.1"), lookUp("11.0.0.1")]).toEqual([{}, null]);
    expect([metadata.schema.mmdb, metadata.sample?.mmdb]).toEqual([[], [{}]]);
  });

  it("warns about networks that appear twice", async () => {
    const { lookUp, warnings, entries } = await exportText("network,id\n10.0.0.0/8,1\n10.0.0.0/8,2\n");
    expect([lookUp("10.0.0.1"), entries]).toEqual([{ id: 2 }, 2]);
    expect(warnings).toEqual([expect.stringContaining("1 row repeats a network")]);
    expect((await exportText(VPN)).warnings).toEqual([]);
  });

  it("reports its progress", async () => {
    const reports: [number, number, string][] = [];
    await exportText(VPN, { onProgress: (...progress) => reports.push(progress) });
    expect(reports.at(-1)).toEqual([VPN.length, 3, "mmdb"]);
    expect(reports.filter(([, , stage]) => stage === "reading").at(-1)).toEqual([VPN.length, 3, "reading"]);
  });
});
