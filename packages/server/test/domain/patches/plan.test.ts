import { describe, expect, it } from "vitest";
import { EMPTY_SHA256 } from "../../../src/domain/patches/patch.ts";
import { basesOf, planPatches } from "../../../src/domain/patches/plan.ts";
import { build, buildFile, patch } from "../../adapters/sql/samples.ts";

const MB = 1_000_000;
const large = () => ({ csvgz: buildFile({ sizeBytes: MB }), mmdb: buildFile({ sizeBytes: 2 * MB }) });
const published = (files = large()) => build("vpn_ip_v1", { state: "published", files });

describe("The bases of patches", () => {
  it("are the newest builds whose files are still stored, without the current one", () => {
    const [current, newer, withdrawn, removed, staged, older] = [
      published(),
      published(),
      build("vpn_ip_v1", { state: "withdrawn" }),
      build("vpn_ip_v1", { state: "removed" }),
      build("vpn_ip_v1", { state: "staged" }),
      published(),
    ];
    const builds = [newer, current, withdrawn, removed, staged, older];
    expect(basesOf(builds, current, 7)).toEqual([newer, withdrawn, older]);
    expect(basesOf(builds, current, 2)).toEqual([newer, withdrawn]);
  });
});

describe("The plan of patches", () => {
  it("has the newest base first, both formats of it, and at last a compressed copy of the mmdb", () => {
    const [current, newer, older] = [published(), published(), published()];
    const planned = planPatches(current, [newer, older], []);
    expect(planned.map(({ format, base }) => [format, base?.buildId])).toEqual([
      ["csvgz", newer.id],
      ["mmdb", newer.id],
      ["csvgz", older.id],
      ["mmdb", older.id],
      ["mmdb", undefined],
    ]);
    expect(planned.map(({ maxPatchBytes }) => maxPatchBytes)).toEqual([
      0.3 * MB,
      0.6 * MB,
      0.3 * MB,
      0.6 * MB,
      1.6 * MB,
    ]);
    expect(planned.every(({ reason }) => reason === undefined)).toBe(true);
  });

  it("omits patches that exist or were dropped before, and bases with the same file", () => {
    const [current, base] = [published(), published()];
    const twin = published(base.files as ReturnType<typeof large>);
    const same = published({ ...large(), mmdb: current.files.mmdb as ReturnType<typeof buildFile> });
    const existing = [patch(current, base), patch(current, null, { baseSha256: EMPTY_SHA256 })];
    const planned = planPatches(current, [base, twin, same], existing);
    expect(planned.map(({ format, base: from }) => [format, from?.buildId])).toEqual([
      ["csvgz", base.id],
      ["csvgz", same.id],
    ]);
  });

  it("skips files that are too small to be worth it, and mmdb files that take too much memory", () => {
    const current = published({
      csvgz: buildFile({ sizeBytes: 63_999 }),
      mmdb: buildFile({ sizeBytes: 2 * 1024 ** 3 }),
    });
    expect(planPatches(current, [published()], []).map(({ reason }) => reason)).toEqual([
      "the file is smaller than 64 kB",
      expect.stringContaining("larger than 1 GiB"),
      undefined,
    ]);
  });
});
