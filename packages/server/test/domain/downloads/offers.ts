import type { Format } from "@dbdepot/contract/shared/formats";
import fc from "fast-check";
import type { Build } from "../../../src/domain/builds/build.ts";
import type { Visibility } from "../../../src/domain/catalogue/family.ts";
import type { Offer } from "../../../src/domain/downloads/decide.ts";
import { day } from "../licences/terms.ts";

export const build: Build = {
  id: "0193a000-0000-7000-8000-0000000000b1",
  versionId: "vpn_ip_v1",
  state: "published",
  metadata: Buffer.from("{}"),
  updated: "2027-01-01",
  entries: 1,
  files: {},
  created: day(0),
  published: day(0),
  withdrawn: null,
};

/** Has a sample as mmdb only. */
export const sampledBuild: Build = {
  ...build,
  files: {
    sample_mmdb: { objectKey: "sample", sizeBytes: 1, checksums: { md5: "", sha1: "", sha256: "", sha512: "" } },
  },
};

/** Offers vpn_ip_v1, by default public, in both formats and with a build. */
export function offer(
  but: { visibility?: Visibility; open?: boolean; formats?: Format[]; build?: Build | undefined } = {},
): Offer {
  const { visibility = "public", open = false, formats = ["csvgz", "mmdb"] } = but;
  return {
    family: { base: "vpn_ip", name: "VPN IP", visibility, created: day(0), archived: null, open },
    version: {
      id: "vpn_ip_v1",
      base: "vpn_ip",
      number: 1,
      summary: "Exit addresses of VPN services",
      formats,
      currentBuildId: null,
      created: day(0),
      archived: null,
      recompress: false,
      tables: false,
    },
    build: "build" in but ? but.build : build,
  };
}

export const anyOffer: fc.Arbitrary<Offer> = fc
  .record({
    visibility: fc.constantFrom<Visibility>("public", "private"),
    open: fc.boolean(),
    formats: fc.constantFrom<Format[]>(["csvgz"], ["mmdb"], ["csvgz", "mmdb"]),
    build: fc.constantFrom(build, sampledBuild, undefined),
  })
  .map(offer);

export const anyRequest = fc.record({
  sample: fc.boolean(),
  format: fc.constantFrom<(Format | undefined)[]>("csvgz", "mmdb", undefined),
  pinned: fc.boolean(),
});
