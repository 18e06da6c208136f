import { describe, expect, it } from "vitest";
import type { Build, BuildFile } from "../../../src/domain/builds/build.ts";
import { findWarnings } from "../../../src/domain/builds/publishing/warnings.ts";
import { build, buildFile } from "../../adapters/sql/samples.ts";

function built(entries: number, csvgzBytes: number, updated = "2026-11-05"): Build {
  return build("vpn_ip_v1", { entries, updated, files: { csvgz: buildFile({ sizeBytes: csvgzBytes }) } });
}

describe("findWarnings", () => {
  it.each([
    [built(100, 100), 0],
    [built(50, 50), 0],
    [built(150, 150), 0],
    [built(49, 100), 1],
    [built(151, 100), 1],
    [built(100, 49), 1],
    [built(100, 151), 1],
    [built(0, 0), 2],
    [built(100, 100, "2026-11-06"), 0],
    [built(100, 100, "2026-11-04"), 1],
    [built(100, 100, "2025-12-31"), 1],
    [built(1000, 1000, "2025-12-31"), 3],
  ])("counts warnings about rows, bytes and date (case %#)", (next, count) => {
    expect(findWarnings(next, built(100, 100))).toHaveLength(count);
  });

  it("warns about any row after an empty build", () => {
    expect(findWarnings(built(0, 20), built(0, 20))).toEqual([]);
    expect(findWarnings(built(1, 20), built(0, 20))).toEqual([
      "the new build has 1 row, more than the current one, which has 0 rows",
    ]);
  });

  it("warns if a sample of more than 1,000 rows is the full file, also in the first build", () => {
    const [csvgz, mmdb] = [buildFile(), buildFile()];
    const sampled = (entries: number, sample: BuildFile) =>
      build("vpn_ip_v1", { entries, files: { csvgz, mmdb, sample_csvgz: sample, sample_mmdb: buildFile() } });
    const warning = "sample_csvgz is the full csvgz file, with all 1001 rows";
    expect(findWarnings(sampled(1001, csvgz), undefined)).toEqual([warning]);
    expect(findWarnings(sampled(1001, csvgz), sampled(1001, buildFile()))).toEqual([warning]);
    expect(findWarnings(sampled(1000, csvgz), undefined)).toEqual([]);
    expect(findWarnings(sampled(1001, buildFile()), undefined)).toEqual([]);
  });

  it("compares only formats that both builds have", () => {
    const mmdb = build("vpn_ip_v1", { entries: 100, updated: "2026-11-05", files: { mmdb: buildFile() } });
    expect(findWarnings(mmdb, built(100, 100))).toEqual([]);
  });
});
