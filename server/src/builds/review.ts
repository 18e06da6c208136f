import { type ByFileKind, FILE_KINDS, type FileKind } from "@dbdepot/contract/formats";
import type { Version } from "../catalogue/version.ts";
import type { Tables } from "../store.ts";
import type { Build } from "./build.ts";
import { findFaults, type ReceivedFile } from "./check.ts";
import type { ParsedDocument } from "./parse-document.ts";
import { BuildRefused } from "./refusal.ts";
import { findWarnings } from "./warnings.ts";

export type Review =
  /** The current build has the same files. */
  | { unchanged: Build }
  /** The build can be published; `force` overrides these warnings. */
  | { unchanged?: undefined; overridden: string[] };

/** Decides whether a staged build can replace the current one. Throws BuildRefused if it cannot. */
export async function reviewBuild(
  tables: Tables,
  version: Version,
  build: Build,
  { document, force }: { document: ParsedDocument; force: boolean },
): Promise<Review> {
  const faults = findFaults(version, document, await receivedFiles(tables, build));
  const current = version.currentBuildId === null ? undefined : await tables.builds.byId(version.currentBuildId);
  const warnings = findWarnings(build, current);
  const refusals = force ? [] : warnings.map(withHint);
  if (faults.length > 0) throw new BuildRefused("faulty", [...faults, ...refusals]);
  if (!force && current && hasSameFiles(build, current)) return { unchanged: current };
  const lineage = (await tables.builds.lineage(version.id)).find(({ buildId }) => buildId === build.id);
  if (lineage?.previousBuildId !== version.currentBuildId) throw new BuildRefused("overtaken", [overtaken(version)]);
  if (refusals.length > 0) throw new BuildRefused("suspicious", refusals);
  return { overridden: warnings };
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
