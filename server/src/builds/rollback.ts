import { record } from "../audit/audit.ts";
import { requireVersion } from "../catalogue/catalogue.ts";
import { conflict, notFound } from "../faults.ts";
import type { Operation, Tables } from "../store.ts";
import type { Build } from "./build.ts";
import { buildBefore, makeCurrent } from "./current.ts";

/** Makes an earlier build the current one again: the one before, or the one that is named. */
export async function rollBack(operation: Operation, request: { versionId: string; to?: string }): Promise<Build> {
  return operation.store.change(async (tables) => {
    const version = await requireVersion(tables, request.versionId);
    const build =
      request.to === undefined
        ? await requireBefore(tables, version.id, version.currentBuildId)
        : await requireKept(tables, version.id, request.to);
    if (build.id === version.currentBuildId) throw conflict(`build ${build.id} is the current one already`);
    await makeCurrent(tables, version, build, operation.now);
    await record(tables, operation, {
      action: "build.rolled_back",
      subject: build.id,
      before: { version_id: version.id, current_build_id: version.currentBuildId },
      after: { version_id: version.id, current_build_id: build.id },
    });
    return build;
  });
}

export interface Withdrawn {
  build: Build;
  /** Null when nothing is left to hand out. */
  currentBuildId: string | null;
}

/** Never hands a build out again. If it is the current one, the one before takes its place. */
export async function withdrawBuild(operation: Operation, id: string): Promise<Withdrawn> {
  const { now } = operation;
  return operation.store.change(async (tables) => {
    const found = await tables.builds.byId(id);
    if (!found) throw notFound(`there is no build "${id}"`);
    if (found.state !== "published") throw conflict(`build ${id} is ${found.state}: it is not handed out anyway`);
    const version = await requireVersion(tables, found.versionId);
    const build: Build = { ...found, state: "withdrawn", withdrawn: now };
    await tables.builds.setState(id, { state: "withdrawn", withdrawn: now });
    let { currentBuildId } = version;
    if (currentBuildId === id) {
      const before = await buildBefore(tables, build);
      await makeCurrent(tables, version, before, now);
      currentBuildId = before?.id ?? null;
    }
    await record(tables, operation, {
      action: "build.withdrawn",
      subject: id,
      before: { version_id: version.id, state: found.state, current_build_id: version.currentBuildId },
      after: { version_id: version.id, state: build.state, current_build_id: currentBuildId },
    });
    return { build, currentBuildId };
  });
}

async function requireBefore(tables: Tables, versionId: string, currentBuildId: string | null): Promise<Build> {
  const current = currentBuildId === null ? undefined : await tables.builds.byId(currentBuildId);
  const before = current && (await buildBefore(tables, current));
  if (!before) throw conflict(`no earlier build of ${versionId} is kept: name one by --to, or publish a new one`);
  return before;
}

async function requireKept(tables: Tables, versionId: string, id: string): Promise<Build> {
  const build = await tables.builds.byId(id);
  if (build?.versionId !== versionId) throw notFound(`${versionId} has no build "${id}"`);
  if (build.state !== "published")
    throw conflict(`build ${id} is ${build.state}: only a published build can be handed out`);
  return build;
}
