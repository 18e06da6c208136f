import { join } from "node:path";
import { type Command, examples, type Result } from "@dbdepot/terminal/command";
import { formatBytes } from "@dbdepot/terminal/format";
import { integer } from "@dbdepot/terminal/values";
import { requireVersion } from "../domain/catalogue/catalogue.ts";
import { enqueue } from "../domain/jobs/jobs.ts";
import { JobRunner } from "../domain/jobs/runner.ts";
import { PATCH_DIRECTORY, PATCH_LIMITS, patchJob } from "../domain/patches/job.ts";
import { makePatchInThread } from "../domain/patches/make-patch.ts";
import type { Patch } from "../domain/patches/patch.ts";
import { patchToOperatorWire } from "../domain/patches/wire.ts";
import type { CommandContext, Run } from "./context.ts";
import { interruptible } from "./interruption.ts";
import { patchTable } from "./patch-table.ts";

const DEFAULT_BASES = 7;
const BASES_MAX = 100;

export function addPatchCommands(program: Command, run: Run): void {
  const patches = program.command("patches").description("Make and list patches between builds");

  patches
    .command("make")
    .description("Make pending patches, as a server does in the background")
    .argument("[id]", "version whose missing patches to make, even if none are waiting")
    .option(
      "--bases <n>",
      `number of earlier builds to make patches from (default: DBDEPOT_PATCH_BASES, or ${DEFAULT_BASES} if that is 0)`,
      integer(1, BASES_MAX),
    )
    .option("--all", "also from builds that no customer downloaded last in the past 30 days")
    .addHelpText("after", examples("dbdepot-server patches make", "dbdepot-server patches make vpn_ip_v1 --bases 3"))
    .action(run(makePatches));

  patches
    .command("list")
    .description("List the patches to the current build of a version")
    .argument("<id>", "version, like vpn_ip_v1")
    .action(
      run(async ({ output, store: openStore }, id) => {
        const store = await openStore();
        const { currentBuildId } = await requireVersion(store, id);
        const build = currentBuildId === null ? undefined : await store.builds.byId(currentBuildId);
        if (!build) return { json: [], text: `${id} has no current build.\n` };
        const found = await store.patches.ofBuilds([build.id]);
        return { json: found.map(patchToOperatorWire), text: await patchTable(output, store, build) };
      }),
    );
}

async function makePatches(
  context: CommandContext,
  id: string | undefined,
  { bases, all = false }: { bases?: number | undefined; all?: boolean | undefined },
): Promise<Result> {
  const { output, settings, clock } = context;
  const store = await context.store();
  if (id !== undefined) {
    const { currentBuildId: buildId } = await requireVersion(store, id);
    if (buildId !== null) await enqueue(store, "make_patches", { versionId: id, buildId }, clock());
  }
  const made: Patch[] = [];
  let hasFailed = false;
  const runner = new JobRunner({
    store,
    clock,
    handlers: {
      make_patches: patchJob({
        store,
        objects: await context.objects(),
        clock,
        bases: bases ?? (settings.patchBases || DEFAULT_BASES),
        selection: all ? "all" : "downloaded",
        directory: join(settings.dataDir, PATCH_DIRECTORY),
        limits: PATCH_LIMITS,
        makePatch: makePatchInThread,
        onPatch(patch) {
          made.push(patch);
          output.info(`${describe(patch)}\n`);
        },
      }),
    },
    onFailure(message, error) {
      hasFailed = true;
      output.warn(`${message}: ${(error as Error).message}`);
    },
  });
  await interruptible("the remaining patches are still waiting", async (signal) => {
    signal.addEventListener("abort", () => void runner.stop());
    while (!signal.aborted && (await runner.runNext("make_patches")));
    signal.throwIfAborted();
  });
  const offered = made.filter(({ file }) => file).length;
  return {
    json: made.map(patchToOperatorWire),
    text: `${offered} patches made, ${made.length - offered} dropped.\n`,
    exitCode: hasFailed ? 1 : 0,
  };
}

function describe({ versionId, format, baseBuildId, file, reason, durationMs }: Patch): string {
  const what = `${versionId} ${format} ${baseBuildId === null ? "compressed" : `from ${baseBuildId}`}`;
  return file ? `${what}: ${formatBytes(file.sizeBytes)} in ${(durationMs / 1000).toFixed(1)} s` : `${what}: ${reason}`;
}
