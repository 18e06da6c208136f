import type { ByFileKind, FileKind } from "@dbdepot/contract/shared/formats";
import type { Build, BuildFile, BuildState, BuildSummary } from "./build.ts";
import type { FileReport } from "./inspection/report.ts";

/** Records which build this one replaced, and when it was replaced itself. */
interface BuildLineage {
  buildId: string;
  /** The build that was current when this one was staged; null for the first. */
  previousBuildId: string | null;
  /** When it was last replaced; null if it is current or never was. */
  superseded: Date | null;
}

interface BuildFilter {
  states?: readonly BuildState[];
  /** The date in the metadata document, YYYY-MM-DD. */
  updated?: string;
  /** Limits the list to builds older than the one with this id. */
  before?: string | undefined;
  limit?: number;
}

export interface BuildStore {
  /** `previousBuildId` is the current build at this time. */
  insert(build: Build, previousBuildId?: string | null): Promise<void>;
  byId(id: string): Promise<Build | undefined>;
  /** Returns builds in no particular order and omits unknown ids. */
  byIds(ids: readonly string[]): Promise<Build[]>;
  /** Newest first. */
  list(versionId: string, filter?: BuildFilter): Promise<BuildSummary[]>;
  setState(
    id: string,
    change: { state: BuildState; published?: Date; withdrawn?: Date; withdrawnReason?: string | null },
  ): Promise<void>;

  /** Records a file of a staged build. */
  addFile(buildId: string, kind: FileKind, file: BuildFile, report: FileReport): Promise<void>;
  /** Replaces the metadata document of a staged build. */
  setDocument(buildId: string, document: Buffer): Promise<void>;
  /** The inspection reports of the files that were recorded with `addFile`. */
  reports(buildId: string): Promise<ByFileKind<FileReport>>;
  /** Staged builds of all versions that were created before this time. */
  stagedBefore(time: Date): Promise<Build[]>;
  /** Deletes a staged build. */
  discard(id: string): Promise<void>;

  /** The lineage of all builds of a version. */
  lineage(versionId: string): Promise<BuildLineage[]>;
  setSuperseded(id: string, time: Date | null): Promise<void>;
  /** Returns the ids of those builds that were downloaded since then. */
  handedOutSince(ids: readonly string[], time: Date): Promise<Set<string>>;
  /** The states of these builds; unknown ids are omitted. */
  statesOf(ids: readonly string[]): Promise<Map<string, BuildState>>;
}

declare module "../store.ts" {
  interface Tables {
    builds: BuildStore;
  }
  interface Rules {
    /** How long publishing waits for the files at each origin. */
    originWaitSeconds: number;
    /** Whether a CDN is told about withdrawn builds. */
    purges: boolean;
  }
}
