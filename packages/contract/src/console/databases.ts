import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { DatabaseId } from "../shared/database-id.ts";
import { byFormat, FORMATS } from "../shared/formats.ts";
import { Checksums } from "../v2/checksums.ts";
import { Count, IsoDate } from "../v2/metadata.ts";

/** The builds and records of a database, in /api/console responses. */

export const CurrentBuild = closedObject("CurrentBuild", "What a version's current build contains.", {
  id: DatabaseId,
  updated: IsoDate,
  entries: Type.Integer({ ...Count, description: "Number of rows." }),
  size: byFormat(Count, "File size in bytes by format."),
  columns: Type.Array(Type.String(), { description: "The names of its columns.", examples: [["network", "provider"]] }),
  sample_entries: Type.Optional(
    Type.Integer({ ...Count, description: "Number of rows in the sample, if it has one." }),
  ),
  sample_size: Type.Optional(byFormat(Count, "Size of the sample in bytes by format.")),
});
export type CurrentBuild = Static<typeof CurrentBuild>;

export const CurrentBuilds = closedObject("CurrentBuilds", "The current builds of the catalogue.", {
  builds: Type.Array(CurrentBuild, {
    description: "Ordered by family, then version. Versions whose last build was withdrawn have none.",
  }),
});
export type CurrentBuilds = Static<typeof CurrentBuilds>;

const HistoricFile = closedObject("HistoricFile", "A file of a build.", {
  size_bytes: Type.Integer({ minimum: 0, description: "Size in bytes." }),
  checksums: Checksums,
});

export const HistoricBuild = closedObject("HistoricBuild", "A build that is or was the current one.", {
  id: Type.String({ description: "Pass it as `build` to download this build as long as it is available." }),
  current: Type.Boolean({ description: "Whether downloads get this build by default." }),
  available: Type.Boolean({ description: "Whether it can still be downloaded." }),
  updated: Type.String({ format: "date", description: "The date of the data." }),
  published: Type.String({ format: "date-time", description: "When it was published." }),
  entries: Type.Integer({ minimum: 0, description: "Number of rows." }),
  files: Type.Object(Object.fromEntries(FORMATS.map((format) => [format, Type.Optional(HistoricFile)])), {
    additionalProperties: false,
    description: "Its files by format.",
  }),
});
export type HistoricBuild = Static<typeof HistoricBuild>;

export const BuildHistory = closedObject("BuildHistory", "The builds of a version.", {
  id: DatabaseId,
  builds: Type.Array(HistoricBuild, { description: "The last 100 builds, newest first, without withdrawn ones." }),
});
export type BuildHistory = Static<typeof BuildHistory>;

export const LookupQuery = closedObject("LookupQuery", "What to look up.", {
  address: Type.String({ maxLength: 100, description: "An IPv4 or IPv6 address.", examples: ["192.0.2.1"] }),
});
export type LookupQuery = Static<typeof LookupQuery>;

export const LookupResult = closedObject("LookupResult", "The record of an address in the current MMDB file.", {
  address: Type.String({ description: "The address that was looked up.", examples: ["192.0.2.1"] }),
  network: Type.Union([Type.String({ examples: ["192.0.2.0/24"] }), Type.Null()], {
    description: "The network that the record is about, or null without a record.",
  }),
  record: Type.Unknown({
    description:
      "The record, or null if the address has none. Integers beyond 2^53 are strings; bytes are hexadecimal digits.",
    examples: [{ provider: "example" }],
  }),
  build_id: Type.String({ description: "The build that was read." }),
  sample: Type.Boolean({
    description: "Whether only the sample was read, because your organization has no licence. It has few records.",
  }),
});
export type LookupResult = Static<typeof LookupResult>;
