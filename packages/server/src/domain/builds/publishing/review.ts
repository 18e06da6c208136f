import { type ByFileKind, FILE_KINDS, type FileKind } from "@dbdepot/contract/shared/formats";
import type { Version } from "../../catalogue/version.ts";
import type { Tables } from "../../store.ts";
import type { Build } from "../build.ts";
import type { ParsedDocument } from "../parse-document.ts";
import { BuildRefused } from "../refusal.ts";
import { findFaults, type ReceivedFile } from "./check.ts";
import { findWarnings } from "./warnings.ts";

/** The findings about a staged build that decide whether it may be published. */
export interface Review {
  faults: string[];
  /** `force` overrides them. */
  warnings: string[];
  /** Remarks for the vendor that are no reason not to publish. */
  notes: string[];
  /** The build that it would replace. */
  current: Build | undefined;
  /** The current build has the same files. */
  isUnchanged: boolean;
  /** The current build changed since this one was staged. */
  isOvertaken: boolean;
  files: ByFileKind<ReceivedFile>;
}

/** Compares a staged build with its metadata document and with the current build. */
export async function reviewBuild(
  tables: Tables,
  version: Version,
  build: Build,
  document: ParsedDocument,
): Promise<Review> {
  const files = await receivedFiles(tables, build);
  const current = version.currentBuildId === null ? undefined : await tables.builds.byId(version.currentBuildId);
  const lineage = (await tables.builds.lineage(version.id)).find(({ buildId }) => buildId === build.id);
  return {
    faults: findFaults(version, document, files),
    warnings: findWarnings(build, current),
    notes: findNotes(version, files),
    current,
    isUnchanged: current !== undefined && hasSameFiles(build, current),
    isOvertaken: lineage?.previousBuildId !== version.currentBuildId,
    files,
  };
}

function findNotes({ id }: Version, { csvgz }: ByFileKind<ReceivedFile>): string[] {
  if (csvgz?.report.isReproducible !== false) return [];
  return [
    `csvgz: customers will get no patches of this file, because it was compressed in a way that cannot be reproduced (for example by gzip or pigz); publish it with --recompress, or turn on recompression of ${id}`,
  ];
}

/** Throws BuildRefused if the build cannot be published. Returns the current build if it has the same files. */
export function requirePublishable(review: Review, version: Version, force: boolean): Build | undefined {
  const { faults, warnings, current, isUnchanged, isOvertaken } = review;
  const refusals = force ? [] : warnings;
  // These have no hint, because --force does not help against faults.
  if (faults.length > 0) throw new BuildRefused("faulty", [...faults, ...refusals]);
  if (!force && isUnchanged) return current;
  if (isOvertaken) throw new BuildRefused("overtaken", [overtaken(version)]);
  if (refusals.length > 0) throw new BuildRefused("suspicious", refusals.map(withHint));
  return undefined;
}

/** Ignores the metadata document: customers would download the same bytes again. */
function hasSameFiles(build: Build, current: Build): boolean {
  return FILE_KINDS.every((kind) => build.files[kind]?.checksums.sha256 === current.files[kind]?.checksums.sha256);
}

function withHint(warning: string): string {
  return `${warning} (use --force to publish anyway)`;
}

function overtaken({ id, currentBuildId }: Version): string {
  const current = currentBuildId === null ? "has no current build now" : `now has the current build ${currentBuildId}`;
  return `another publish of ${id} finished first: it ${current}. Check it and publish again`;
}

async function receivedFiles(tables: Tables, build: Build): Promise<ByFileKind<ReceivedFile>> {
  const reports = await tables.builds.reports(build.id);
  const received: ByFileKind<ReceivedFile> = {};
  for (const [kind, { sizeBytes }] of Object.entries(build.files) as [FileKind, { sizeBytes: number }][]) {
    const report = reports[kind];
    if (report) received[kind] = { sizeBytes, report };
  }
  return received;
}
