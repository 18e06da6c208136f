import type { ByFormat, Format } from "@dbdepot/contract/formats";
import { record } from "../audit/audit.ts";
import { requireVersion } from "../catalogue/catalogue.ts";
import type { Version } from "../catalogue/version.ts";
import type { ObjectStore } from "../objects/store.ts";
import type { Operation, Tables } from "../store.ts";
import type { Build } from "./build.ts";
import { makeCurrent } from "./current.ts";
import { suspicions } from "./guards.ts";
import { type ArrivedFile, judge } from "./judge.ts";
import { BuildRefused } from "./refusal.ts";
import { type Retention, retire } from "./retention.ts";
import { removeObjects, requireStaged } from "./staging.ts";
import { buildToWire } from "./wire.ts";

export interface PublishOptions {
  /** Publish a build that looks like an accident, too. */
  force: boolean;
  /** Left out: all builds are kept. */
  retention?: Retention;
}

export interface Published {
  build: Build;
  /** Builds that were let go of. */
  retired: Build[];
}

/**
 * Makes a staged build the current one, all formats together, in one transaction; or
 * throws BuildRefused, and nothing has changed. Its files are durable already.
 */
export async function publishBuild(
  operation: Operation,
  objects: ObjectStore,
  buildId: string,
  options: PublishOptions,
): Promise<Published> {
  const { now } = operation;
  const published = await operation.store.change(async (tables) => {
    const staged = await requireStaged(tables, buildId);
    const version = await requireVersion(tables, staged.versionId);
    await requirePublishable(tables, version, staged, options);
    const build: Build = { ...staged, state: "published", published: now };
    await tables.builds.setState(build.id, { state: "published", published: now });
    await makeCurrent(tables, version, build, now);
    const retired = options.retention ? await retire(tables, build, options.retention, now) : [];
    await record(tables, operation, {
      action: "build.published",
      subject: build.id,
      before: { version_id: version.id, current_build_id: version.currentBuildId },
      after: { ...buildToWire(build, build.id), forced: options.force, removed_build_ids: retired.map(({ id }) => id) },
    });
    return { build, retired };
  });
  // Behind the transaction: objects cannot be brought back. It is published whatever becomes of them; the sweep tries again.
  for (const build of published.retired) await removeObjects(objects, build).catch(() => {});
  return published;
}

async function requirePublishable(
  tables: Tables,
  version: Version,
  build: Build,
  { force }: PublishOptions,
): Promise<void> {
  const faults = judge(version, build.metadata, await arrivedFiles(tables, build));
  const current = version.currentBuildId === null ? undefined : await tables.builds.byId(version.currentBuildId);
  const doubts = force || !current ? [] : suspicions(build, current).map((doubt) => `${doubt}: needs --force`);
  if (faults.length > 0) throw new BuildRefused("faulty", [...faults, ...doubts]);
  const [place] = (await tables.builds.places(version.id)).filter(({ buildId }) => buildId === build.id);
  if (place?.previousBuildId !== version.currentBuildId) throw new BuildRefused("overtaken", [overtaken(version)]);
  if (doubts.length > 0) throw new BuildRefused("suspicious", doubts);
}

function overtaken({ id, currentBuildId }: Version): string {
  const now = currentBuildId === null ? "none is current now" : `build ${currentBuildId} is current now`;
  return `${id} got another current build while this one was made (${now}): look at it, and publish again`;
}

async function arrivedFiles(tables: Tables, build: Build): Promise<ByFormat<ArrivedFile>> {
  const findings = await tables.builds.findings(build.id);
  const arrived: ByFormat<ArrivedFile> = {};
  for (const [format, { sizeBytes }] of Object.entries(build.files) as [Format, { sizeBytes: number }][]) {
    const found = findings[format];
    if (found) arrived[format] = { sizeBytes, findings: found };
  }
  return arrived;
}
