import { describe, expect, it } from "vitest";
import { basesOf } from "../../../src/domain/builds/retention.ts";
import { EMPTY_SHA256, patchIdOf, patchKeyOf } from "../../../src/domain/patches/patch.ts";
import { planPatches } from "../../../src/domain/patches/plan.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
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

  it.each([
    ["a csv.gz of 64 kB", "csvgz", 64_000, true],
    ["a csv.gz of 2 GiB", "csvgz", 2 * 1024 ** 3, true],
    ["an mmdb of 1 GiB", "mmdb", 1024 ** 3, true],
    ["an mmdb of a byte more", "mmdb", 1024 ** 3 + 1, false],
  ] as const)("decides on %s", (_, format, sizeBytes, isMade) => {
    const of = (size: number) => published({ [format]: buildFile({ sizeBytes: size }) } as ReturnType<typeof large>);
    const [plan] = planPatches(of(sizeBytes), [of(MB)], []);
    expect(plan?.reason === undefined).toBe(isMade);
    // Both files are in memory.
    const [backwards] = planPatches(of(MB), [of(sizeBytes)], []);
    expect(backwards?.reason === undefined).toBe(isMade);
  });
});

it("Only objects in the place of a version's patches are taken for its patches", () => {
  const own = { versionId: "vpn_ip_v1", buildId: newId(new Date(0)), id: newId(new Date(1)) };
  const key = patchKeyOf(own);
  expect(patchIdOf(key, "vpn_ip_v1")).toBe(own.id);
  for (const other of [key.replace("vpn_ip_v1", "tor_ip_v1"), `${key}/more`, key.replace(".patch", ""), "vpn_ip_v1/"]) {
    expect(patchIdOf(other, "vpn_ip_v1")).toBeUndefined();
  }
});
