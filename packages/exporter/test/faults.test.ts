import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseColumnSpecs } from "../src/columns/column-spec.ts";
import type { ExportOptions } from "../src/options.ts";
import { exportAndRead, exportText, faultsOf, filesIn, inDir, useFolder, VPN } from "./exporting.ts";

useFolder();

describe("an invalid export", () => {
  it("lists the faults of all rows with their lines", async () => {
    const text = `network,asn
10.0.0.1/8,1
10.0.0.0/8,2,3
10.0.0.0/8
"10.0.0.0
/8",4
x,5
::/96,6
,7
11.0.0.0/8,many
`;
    expect(await faultsOf(exportText(text, { columns: [{ name: "asn", type: "uint32" }] }))).toEqual([
      'line 2: "10.0.0.1/8" has bits set beyond its prefix length',
      "line 3: the header has 2 columns, but this row has 3",
      "line 4: the header has 2 columns, but this row has 1",
      'line 5: "10.0.0.0\\n/8" has no valid prefix length'.replace(
        "has no valid prefix length",
        "is not an IP network",
      ),
      'line 7: "x" is not an IP network',
      "line 8: the network lies in ::/96, where an mmdb stores IPv4: write it as an IPv4 network",
      'line 9: "" is not an IP network',
      'line 10: column "asn": "many" is not a uint32',
    ]);
  });

  it.each([
    ["semicolons", ";"],
    ["tabs", "\t"],
  ])("says that %s do not separate columns", async (name, separator) => {
    const text = `network${separator}name\n10.0.0.0/8${separator}ten\n`;
    expect(await faultsOf(exportText(text, { formats: ["csvgz"] }))).toEqual([
      `header: the columns are separated by ${name}: separate them by commas, in every row`,
    ]);
  });

  it("lists faults in ranges", async () => {
    const text = "start_ip,end_ip\n10.0.0.2,10.0.0.1\n10.0.0.1,::2\n,\n";
    expect(await faultsOf(exportText(text))).toEqual([
      "line 2: the range 10.0.0.2 to 10.0.0.1 ends before it starts",
      "line 3: the range 10.0.0.1 to ::2 mixes IPv4 and IPv6",
      'line 4: "" is not an IP address',
    ]);
  });

  it("counts faults after the first twenty", async () => {
    const faults = await faultsOf(exportText(`network\n${"x\n".repeat(1000)}`));
    expect(faults).toHaveLength(21);
    expect(faults.slice(-2)).toEqual(['line 21: "x" is not an IP network', "and 980 more"]);
  });

  it("lists a syntax error after the faults of the rows before it", async () => {
    expect(await faultsOf(exportText('network,name\nx,1\n10.0.0.0/8,"\n'))).toEqual([
      'line 2: "x" is not an IP network',
      "line 3, column 12: quote is never closed",
    ]);
    expect(await faultsOf(exportText('network,name\nx,1\n10.0.0.0/8,1"2\n'))).toEqual([
      'line 2: "x" is not an IP network',
      "line 3, column 13: quote inside an unquoted cell",
    ]);
    const latin1 = Buffer.from("network,name\n10.0.0.0/8,Zürich\n", "latin1");
    expect(await faultsOf(exportText(latin1))).toEqual(["line 2, column 13: invalid UTF-8"]);
  });

  it.each([
    ["", ["the input is empty: it has no header"]],
    ["a,,a\n", ["header: column 2 has no name", 'header: the name "a" appears twice']],
    ["a\u0000,b\n", ['header: the name "a\\u0000" has control characters']],
  ])("lists the faults of the header %j", async (text, faults) => {
    expect(await faultsOf(exportText(text))).toEqual(faults);
  });

  it.each([
    ["what:string", ['columns: the input has no column "what"']],
    ["asn:uint32\nasn:string", ['columns: "asn" appears twice']],
    ["asn:first_ip", ["columns: first_ip and last_ip must be used together"]],
    [
      "network:network\nprovider:first_ip\nasn:last_ip",
      [expect.stringContaining("use either network, or first_ip and last_ip")],
    ],
    ["network:network\nprovider:network", [expect.stringContaining("a row has one network")]],
  ])("lists the faults of the columns %j", async (columns, faults) => {
    expect(await faultsOf(exportText(VPN, { columns: parseColumnSpecs(columns) }))).toEqual(faults);
  });

  it("lists the faults of all options", async () => {
    const options = {
      id: "vpn_ip",
      updated: "2026-02-30",
      formats: [],
      columns: [{ name: "asn", type: "int" as "int32" }],
    };
    expect(await faultsOf(exportText(VPN, options))).toEqual([
      '"vpn_ip" is not a version id: use <family>_v<n>, like vpn_ip_v1',
      'updated: "2026-02-30" is not a date like 2026-11-17',
      "formats: choose one or more of csvgz, mmdb",
      'columns: asn: "int" is not a type',
    ]);
  });

  it("explains why a file cannot be read", async () => {
    const missing = inDir("missing.csv");
    expect(await faultsOf(exportAndRead({ input: missing }))).toEqual([`${missing}: no such file`]);
    expect(await faultsOf(exportAndRead({ input: inDir() }))).toEqual([`${inDir()}: is a directory, not a file`]);
    const whole = gzipSync(`network\n${"x\n".repeat(1000)}`);
    // This fault is always listed, because it is the reason why the rest was not read.
    expect((await faultsOf(exportText(whole.subarray(0, -6)))).at(-1)).toContain("gzip file is truncated");
    whole.fill(0, whole.length - 8);
    expect((await faultsOf(exportText(whole))).at(-1)).toContain("gzip file is damaged");
  });

  it("lists the faults of row objects", async () => {
    const exporting = (rows: ExportOptions["input"]) => faultsOf(exportAndRead({ input: rows }));
    expect(await exporting([])).toEqual(["the input is empty: it has no header"]);
    expect(await exporting([{ network: "x" }, { network: "10.0.0.0/8", name: "a" }])).toEqual([
      'row 2: column "name" is not in the first row',
    ]);
    expect(await exporting([{ network: "10.0.0.0/8", name: "a" }, { network: "y" }])).toEqual([
      'row 2: "y" is not an IP network',
    ]);
    expect(await exporting([{ network: "10.0.0.0/8", name: "\ud800" }])).toEqual([
      'row 1: column "name": invalid Unicode',
    ]);
  });
});

describe("a failed export", () => {
  it("leaves no files behind and keeps existing ones", async () => {
    const before = await exportText(VPN);
    await faultsOf(exportText(`${VPN}x,y,1,true,1\n`));
    expect(await filesIn("out")).toEqual(["vpn_ip_v1.csv.gz", "vpn_ip_v1.metadata.json", "vpn_ip_v1.mmdb"]);
    expect(await readFile(inDir("out", "vpn_ip_v1.mmdb"))).toEqual(before.mmdbBytes);
  });

  it("throws the error of the rows' source", async () => {
    async function* rows() {
      yield { network: "10.0.0.0/8" };
      throw new Error("the database is gone");
    }
    await expect(exportAndRead({ input: rows() })).rejects.toThrow("the database is gone");
    expect(await filesIn("out")).toEqual([]);
  });

  it("stops when it is aborted and leaves no files behind", async () => {
    function* rows(count: number) {
      for (let i = 0; i < count; i++) yield { ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`, i };
    }
    const callOff = (stage: string, input: ExportOptions["input"]) => {
      const stop = new AbortController();
      const onProgress: ExportOptions["onProgress"] = (_, __, now) => now === stage && stop.abort();
      return exportAndRead({ input, signal: stop.signal, onProgress });
    };
    await expect(callOff("reading", rows(Number.POSITIVE_INFINITY))).rejects.toThrow("abort");
    await expect(callOff("mmdb", rows(5000))).rejects.toThrow("abort");
    expect(await filesIn("out")).toEqual([]);
  });
});
