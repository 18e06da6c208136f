import type { ByFormat, Format } from "@dbdepot/contract/formats";
import type { Build, BuildFile, BuildState } from "./build.ts";
import type { FileFindings } from "./inspection/findings.ts";

/** Where a build stands in the row of those that were current. */
interface Place {
  buildId: string;
  /** The build that was current when this one was begun; null for the first. */
  previousBuildId: string | null;
  /** When it last stopped being the current one; null while it is, and if it never was. */
  superseded: Date | null;
}

export interface BuildStore {
  /** With the build that is current while this one is made, if any. */
  insert(build: Build, previousBuildId?: string | null): Promise<void>;
  byId(id: string): Promise<Build | undefined>;
  /** Newest first. */
  list(versionId: string): Promise<Build[]>;
  setState(id: string, change: { state: BuildState; published?: Date; withdrawn?: Date }): Promise<void>;

  /** A file of a staged build has arrived. */
  addFile(buildId: string, format: Format, file: BuildFile, findings: FileFindings): Promise<void>;
  /** What was found in the files that arrived one by one. */
  findings(buildId: string): Promise<ByFormat<FileFindings>>;
  /** The staged builds that were begun before this, of all versions. */
  stagedBefore(time: Date): Promise<Build[]>;
  /** Forgets a build that was never published. */
  discard(id: string): Promise<void>;

  /** Of all builds of a version. */
  places(versionId: string): Promise<Place[]>;
  setSuperseded(id: string, time: Date | null): Promise<void>;
  /** Those of the builds that somebody was given since then. */
  handedOutSince(ids: readonly string[], time: Date): Promise<Set<string>>;
  /** The states of those of the builds that exist. */
  statesOf(ids: readonly string[]): Promise<Map<string, BuildState>>;
}
