import { describe, expect, it } from "vitest";
import { exportText, faultsOf, filesIn, inDir, useFolder, VPN } from "./exporting.ts";

useFolder();

describe("formats", () => {
  const ASNS = "asn,name\n64496,Reserved\n";

  it("are only csvgz if no column is a network", async () => {
    const { files, metadata } = await exportText(ASNS, { id: "bogon_asn_v1" });
    expect(Object.keys(files)).toEqual(["csvgz"]);
    expect([Object.keys(metadata.schema), Object.keys(metadata.sample ?? {}), Object.keys(metadata.size)]).toEqual([
      ["csvgz"],
      ["csvgz"],
      ["csvgz"],
    ]);
    expect(await filesIn("out")).toEqual(["bogon_asn_v1.csv.gz", "bogon_asn_v1.metadata.json"]);
  });

  it("are only csvgz for provider catalogues, whatever their columns", async () => {
    const { files } = await exportText("id,address\n1,12 Main Street\n", { id: "hosting_provider_v2" });
    expect(Object.keys(files)).toEqual(["csvgz"]);
  });

  it("are those that were requested", async () => {
    expect(Object.keys((await exportText(VPN, { formats: ["csvgz"] })).files)).toEqual(["csvgz"]);
    const { files, metadata } = await exportText(VPN, { formats: ["mmdb"], outDir: inDir("mmdb") });
    expect([Object.keys(files), Object.keys(metadata.size)]).toEqual([["mmdb"], ["mmdb"]]);
    expect(await filesIn("mmdb")).toEqual(["vpn_ip_v1.metadata.json", "vpn_ip_v1.mmdb"]);
  });

  it("cannot include mmdb without a network or for provider catalogues", async () => {
    expect(await faultsOf(exportText(ASNS, { id: "bogon_asn_v1", formats: ["mmdb"] }))).toEqual([
      "an mmdb needs a network in each row, but none of the columns asn, name contains one: " +
        "name the column network, or the columns first_ip and last_ip, or use these as types",
    ]);
    expect(await faultsOf(exportText(VPN, { id: "hosting_provider_v1", formats: ["csvgz", "mmdb"] }))).toEqual([
      "hosting_provider is a catalogue keyed by provider id: it has no mmdb",
    ]);
  });
});
