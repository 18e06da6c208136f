import { conflict, notFound } from "../../platform/primitives/faults.ts";
import { record } from "../audit/audit.ts";
import { requireVersion } from "../catalogue/catalogue.ts";
import { announce } from "../events/events.ts";
import { enqueue } from "../jobs/jobs.ts";
import type { Operation, Tables } from "../store.ts";
import type { Build } from "./build.ts";
import { makeCurrent, previousBuild, requestChanges } from "./current.ts";
import { publishedEvent, withdrawnEvent } from "./events.ts";

/** Makes an earlier build the current one again (default: the previous one). */
export async function rollBack(
  operation: Operation,
  request: { versionId: string; to?: string | undefined },
): Promise<Build> {
  return operation.store.change(async (tables) => {
    const version = await requireVersion(tables, request.versionId);
    const build =
      request.to === undefined
        ? await requirePrevious(tables, version.id, version.currentBuildId)
        : await requirePublished(tables, version.id, request.to);
    if (build.id === version.currentBuildId) throw conflict(`build ${build.id} is already the current build`);
    await makeCurrent(tables, operation, version, build);
    await record(tables, operation, {
      action: "build.rolled_back",
      subject: build.id,
      before: { version_id: version.id, current_build_id: version.currentBuildId },
      after: { version_id: version.id, current_build_id: build.id },
    });
    const changes = await requestChanges(tables, operation, version, build);
    await announce(tables, operation, publishedEvent(version, build, changes));
    return build;
  });
}

export interface Withdrawn {
  build: Build;
  /** Null if the version has no current build any more. */
  currentBuildId: string | null;
}

/** Stops serving a build permanently. If it is the current one, the previous build replaces it. Customers see the reason. */
export async function withdrawBuild(operation: Operation, id: string, reason?: string): Promise<Withdrawn> {
  const { now } = operation;
  const withdrawnReason = reason?.trim() || null;
  return operation.store.change(async (tables) => {
    const found = await tables.builds.byId(id);
    if (!found) throw notFound(`there is no build "${id}"`);
    if (found.state !== "published") throw conflict(`build ${id} is ${found.state}, so it is not served`);
    const version = await requireVersion(tables, found.versionId);
    const build: Build = { ...found, state: "withdrawn", withdrawn: now, withdrawnReason };
    await tables.builds.setState(id, { state: "withdrawn", withdrawn: now, withdrawnReason });
    let { currentBuildId } = version;
    if (currentBuildId === id) {
      const previous = await previousBuild(tables, build);
      await makeCurrent(tables, operation, version, previous);
      currentBuildId = previous?.id ?? null;
    }
    await record(tables, operation, {
      action: "build.withdrawn",
      subject: id,
      before: { version_id: version.id, state: found.state, current_build_id: version.currentBuildId },
      after: {
        version_id: version.id,
        state: build.state,
        current_build_id: currentBuildId,
        ...(withdrawnReason !== null && { reason: withdrawnReason }),
      },
    });
    if (operation.rules?.purges) await enqueue(tables, "purge_build", { buildId: id }, now);
    await announce(tables, operation, withdrawnEvent(version, build, currentBuildId));
    return { build, currentBuildId };
  });
}

async function requirePrevious(tables: Tables, versionId: string, currentBuildId: string | null): Promise<Build> {
  const current = currentBuildId === null ? undefined : await tables.builds.byId(currentBuildId);
  const previous = current && (await previousBuild(tables, current));
  if (!previous) throw conflict(`${versionId} has no earlier build: choose one with --to, or publish a new one`);
  return previous;
}

async function requirePublished(tables: Tables, versionId: string, id: string): Promise<Build> {
  const build = await tables.builds.byId(id);
  if (build?.versionId !== versionId) throw notFound(`${versionId} has no build "${id}"`);
  if (build.state !== "published") throw conflict(`build ${id} is ${build.state}, not published`);
  return build;
}
