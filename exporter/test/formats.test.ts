import { describe, expect, it } from "vitest";
import { exportText, faultsOf, filesIn, inDir, useFolder, VPN } from "./exporting.ts";

useFolder();

describe("the formats", () => {
  const ASNS = "asn,name\n64496,Reserved\n";

  it("are csvgz alone where no column is a network", async () => {
    const { files, metadata } = await exportText(ASNS, { id: "bogon_asn_v1" });
    expect(Object.keys(files)).toEqual(["csvgz"]);
    expect([Object.keys(metadata.schema), Object.keys(metadata.sample ?? {}), Object.keys(metadata.size)]).toEqual([
      ["csvgz"],
      ["csvgz"],
      ["csvgz"],
    ]);
    expect(await filesIn("out")).toEqual(["bogon_asn_v1.csv.gz", "bogon_asn_v1.metadata.json"]);
  });

  it("are csvgz alone for a catalogue of providers, whatever its columns", async () => {
    const { files } = await exportText("id,address\n1,12 Main Street\n", { id: "hosting_provider_v2" });
    expect(Object.keys(files)).toEqual(["csvgz"]);
  });

  it("are those that were asked for", async () => {
    expect(Object.keys((await exportText(VPN, { formats: ["csvgz"] })).files)).toEqual(["csvgz"]);
    const { files, metadata } = await exportText(VPN, { formats: ["mmdb"], outDir: inDir("mmdb") });
    expect([Object.keys(files), Object.keys(metadata.size)]).toEqual([["mmdb"], ["mmdb"]]);
    expect(await filesIn("mmdb")).toEqual(["vpn_ip_v1.metadata.json", "vpn_ip_v1.mmdb"]);
  });

  it("cannot be mmdb without a network, or for providers", async () => {
    expect(await faultsOf(exportText(ASNS, { id: "bogon_asn_v1", formats: ["mmdb"] }))).toEqual([
      "an mmdb needs a network in each row, and none of the columns asn, name is known to hold one: " +
        "call it network, or first_ip and last_ip, or give it one of these as its type",
    ]);
    expect(await faultsOf(exportText(VPN, { id: "hosting_provider_v1", formats: ["csvgz", "mmdb"] }))).toEqual([
      "hosting_provider is a catalogue keyed by provider id: it has no mmdb",
    ]);
  });
});
