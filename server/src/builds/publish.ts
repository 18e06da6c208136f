import type { ByFormat, Format } from "@dbdepot/contract/formats";
import { record } from "../audit/audit.ts";
import { requireVersion } from "../catalogue/catalogue.ts";
import type { Version } from "../catalogue/version.ts";
import type { ObjectStore } from "../objects/store.ts";
import type { Operation, Tables } from "../store.ts";
import type { Build } from "./build.ts";
import { findFaults, type ReceivedFile } from "./check.ts";
import { makeCurrent } from "./current.ts";
import { readDocument } from "./document.ts";
import type { ParsedDocument } from "./parse-document.ts";
import { BuildRefused } from "./refusal.ts";
import { type Retention, retire } from "./retention.ts";
import { removeObjects, requireStaged } from "./staging.ts";
import { findWarnings } from "./warnings.ts";
import { buildToWire } from "./wire.ts";

export interface PublishOptions {
  /** Publish in spite of warnings. */
  force: boolean;
  /** Default: keep all builds. */
  retention?: Retention;
}

export interface Published {
  build: Build;
  /** Builds that were removed. */
  retired: Build[];
}

/** Makes a staged build the current one in one transaction. If it throws BuildRefused, nothing has changed. */
export async function publishBuild(
  operation: Operation,
  objects: ObjectStore,
  buildId: string,
  options: PublishOptions,
): Promise<Published> {
  const { now } = operation;
  // Before the transaction, which should be short.
  const document = await readDocument((await requireStaged(operation.store, buildId)).metadata);
  const published = await operation.store.change(async (tables) => {
    const staged = await requireStaged(tables, buildId);
    const version = await requireVersion(tables, staged.versionId);
    const overridden = await requirePublishable(tables, version, staged, document, options);
    const build: Build = { ...staged, state: "published", published: now };
    await tables.builds.setState(build.id, { state: "published", published: now });
    await makeCurrent(tables, version, build, now);
    const retired = options.retention ? await retire(tables, build, options.retention, now) : [];
    await record(tables, operation, {
      action: "build.published",
      subject: build.id,
      before: { version_id: version.id, current_build_id: version.currentBuildId },
      after: {
        ...buildToWire(build, build.id),
        forced: options.force,
        overridden,
        removed_build_ids: retired.map(({ id }) => id),
      },
    });
    return { build, retired };
  });
  // After the commit, because objects cannot be restored. If this fails, `builds sweep` removes them.
  for (const build of published.retired) await removeObjects(objects, build).catch(() => {});
  return published;
}

/** Returns the warnings that `force` overrides. */
async function requirePublishable(
  tables: Tables,
  version: Version,
  build: Build,
  document: ParsedDocument,
  { force }: PublishOptions,
): Promise<string[]> {
  const faults = findFaults(version, document, await receivedFiles(tables, build));
  const current = version.currentBuildId === null ? undefined : await tables.builds.byId(version.currentBuildId);
  const warnings = current ? findWarnings(build, current) : [];
  const refusals = force ? [] : warnings.map(withHint);
  if (faults.length > 0) throw new BuildRefused("faulty", [...faults, ...refusals]);
  const lineage = (await tables.builds.lineage(version.id)).find(({ buildId }) => buildId === build.id);
  if (lineage?.previousBuildId !== version.currentBuildId) throw new BuildRefused("overtaken", [overtaken(version)]);
  if (refusals.length > 0) throw new BuildRefused("suspicious", refusals);
  return warnings;
}

function withHint(warning: string): string {
  return `${warning} (use --force to publish anyway)`;
}

function overtaken({ id, currentBuildId }: Version): string {
  const current = currentBuildId === null ? "has no current build now" : `now has the current build ${currentBuildId}`;
  return `another publish of ${id} finished first: it ${current}. Check it and publish again`;
}

async function receivedFiles(tables: Tables, build: Build): Promise<ByFormat<ReceivedFile>> {
  const reports = await tables.builds.reports(build.id);
  const received: ByFormat<ReceivedFile> = {};
  for (const [format, { sizeBytes }] of Object.entries(build.files) as [Format, { sizeBytes: number }][]) {
    const report = reports[format];
    if (report) received[format] = { sizeBytes, report };
  }
  return received;
}
