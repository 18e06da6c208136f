import type { ListedBuild } from "@dbdepot/contract/operator/builds";
import { FILE_KINDS, type FileKind, FORMATS, sampleOf } from "@dbdepot/contract/shared/formats";
import { type Command, examples, type Result } from "@dbdepot/terminal/command";
import { formatBytes } from "@dbdepot/terminal/format";
import { integer } from "@dbdepot/terminal/values";
import type { Build } from "../domain/builds/build.ts";
import { openLocalFiles, readDocumentFile } from "../domain/builds/local-files.ts";
import { checkFiles, publishFiles } from "../domain/builds/publishing/publish-files.ts";
import { rollBack, withdrawBuild } from "../domain/builds/rollback.ts";
import { buildToWire, publishedToWire } from "../domain/builds/wire.ts";
import { requireVersion } from "../domain/catalogue/catalogue.ts";
import { listedBuilds } from "../domain/patches/listed-builds.ts";
import { findLeftovers, sweep } from "../domain/retention/leftovers.ts";
import { HOUR_MS } from "../platform/primitives/dates.ts";
import { notFound } from "../platform/primitives/faults.ts";
import { checkResult } from "./build-check.ts";
import type { CommandContext, Run } from "./context.ts";
import { interruptible } from "./interruption.ts";
import { patchTable } from "./patch-table.ts";
import { checkOverHttp, publishOverHttp } from "./remote.ts";

const KEEP_MAX = 100_000;
const SWEEP_HOURS_MAX = 24 * 365;
const NOT_PUBLISHED = "nothing was published";
const UNCHANGED = "Unchanged: the files are identical to those of the current build, so nothing was published.\n";

interface PublishOptions {
  metadata: string;
  csvgz?: string | undefined;
  mmdb?: string | undefined;
  sampleCsvgz?: string | undefined;
  sampleMmdb?: string | undefined;
  recompress?: boolean | undefined;
  force?: boolean | undefined;
  dryRun?: boolean | undefined;
  keep?: number | undefined;
  server?: string | undefined;
  key?: string | undefined;
}

export function addBuildCommands(program: Command, run: Run): void {
  const builds = program.command("builds").description("Publish, roll back and clean up builds");

  builds
    .command("publish")
    .description("Check the files of a build and make it the current one, all formats at once")
    .argument("<id>", "version, like vpn_ip_v1")
    .requiredOption("--metadata <file>", "metadata document of the build, served unchanged")
    .option("--csvgz <file>", "csv.gz file")
    .option("--mmdb <file>", "mmdb file")
    .option("--sample-csvgz <file>", "sample of the csv.gz, downloadable without a licence (default: none)")
    .option("--sample-mmdb <file>", "sample of the mmdb, downloadable without a licence (default: none)")
    .option(
      "--recompress",
      "compress the csv.gz again, with the same rows, so that customers get patches of it (default: as set for the version)",
    )
    .option("--no-recompress", "publish the csv.gz as it is")
    .option(
      "--force",
      "publish even if the build is older than the current one, much larger or smaller, has different columns, or is identical",
    )
    .option(
      "--keep <n>",
      "number of builds of this version to keep; older ones are deleted (default: all)",
      integer(1, KEEP_MAX),
    )
    .option("--dry-run", "check the files and compare them with the current build, without publishing them")
    .option("--server <url>", "address of the dbdepot server to publish to (default: this machine's database)")
    .option("--key <key>", "operator key for --server (default: the environment variable DBDEPOT_CLIENT_KEY)")
    .addHelpText(
      "after",
      examples(
        "dbdepot-server builds publish vpn_ip_v1 --csvgz build/vpn_ip_v1.csv.gz \\",
        "  --mmdb build/vpn_ip_v1.mmdb --metadata build/vpn_ip_v1.metadata.json",
      ),
    )
    .action(run(publish));

  builds
    .command("list")
    .description("List the builds of a version, newest first")
    .argument("<id>", "version, like vpn_ip_v1")
    .action(
      run(async ({ output, store: openStore }, id) => {
        const store = await openStore();
        const version = await requireVersion(store, id);
        const builds = await listedBuilds(store, version, await store.builds.list(id));
        return {
          json: builds,
          text: output.table(
            ["BUILD", "STATE", "UPDATED", "ROWS", "CSVGZ", "MMDB", "SAMPLES", "CHANGES", "CREATED", "PUBLISHED", "BY"],
            builds.map((build) => [
              build.id,
              build.current ? "current" : build.state,
              build.updated,
              build.entries,
              build.files.csvgz && formatBytes(build.files.csvgz.size_bytes),
              build.files.mmdb && formatBytes(build.files.mmdb.size_bytes),
              FORMATS.filter((format) => build.files[sampleOf(format)]),
              build.changes && `+${build.changes.added} -${build.changes.removed} ~${build.changes.changed}`,
              new Date(build.created),
              build.published && new Date(build.published),
              build.published_by,
            ]),
            "No builds yet.",
          ),
        };
      }),
    );

  builds
    .command("show")
    .description("Show a build, and the patches from earlier builds to it")
    .argument("<build>", "build id")
    .addHelpText("after", examples("dbdepot-server builds show 019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11"))
    .action(
      run(async ({ output, store: openStore }, id) => {
        const store = await openStore();
        const build = await store.builds.byId(id);
        if (!build) throw notFound(`there is no build "${id}"`);
        const version = await requireVersion(store, build.versionId);
        const [listed] = await listedBuilds(store, version, [build]);
        const { current, state, published, published_by: by } = listed as ListedBuild;
        const fields = {
          ...facts(build),
          state: current ? "current" : state,
          published: published && `${published}${by ? ` by ${by}` : ""}`,
        };
        return { json: listed, text: `${output.details(fields)}\n${await patchTable(output, store, build)}` };
      }),
    );

  builds
    .command("rollback")
    .description("Make an earlier build of a version the current one again")
    .argument("<id>", "version, like vpn_ip_v1")
    .option("--to <build>", "build to return to (default: the previous one)")
    .action(
      run(async ({ output, operation }, versionId, { to }) => {
        const build = await rollBack(await operation(), { versionId, to });
        return { json: { build_id: build.id, ...buildToWire(build, build.id) }, text: output.details(facts(build)) };
      }),
    );

  builds
    .command("withdraw")
    .description("Stop serving a build permanently; if it is current, the previous build replaces it")
    .argument("<build>", "build id")
    .option("--reason <text>", "why it is withdrawn, shown to customers (default: none)")
    .action(
      run(async ({ output, operation }, id, { reason }) => {
        const { build, currentBuildId } = await withdrawBuild(await operation(), id, reason);
        const fields = { build: id, state: build.state, reason, "current build": currentBuildId ?? "none" };
        return {
          json: { ...buildToWire(build, currentBuildId), current_build_id: currentBuildId },
          text: output.details(fields),
        };
      }),
    );

  builds
    .command("sweep")
    .description("Delete objects left by interrupted publishes")
    .option("--hours <n>", "minimum age; must be longer than any publish takes", integer(1, SWEEP_HOURS_MAX), 24)
    .option("--dry-run", "list what would be deleted, except partial uploads")
    .action(run(sweepLeftovers));
}

async function publish(context: CommandContext, id: string, options: PublishOptions): Promise<Result> {
  const { output, settings, operation } = context;
  const { metadata, csvgz, mmdb, sampleCsvgz, sampleMmdb, force = false, dryRun = false, keep, server, key } = options;
  const { recompress } = options;
  const files = { csvgz, mmdb, sample_csvgz: sampleCsvgz, sample_mmdb: sampleMmdb };
  if (server !== undefined) {
    const remote = { server, key, metadata, files, recompress, force, keep, output };
    if (dryRun) {
      const check = await interruptible(NOT_PUBLISHED, (signal) => checkOverHttp(id, { ...remote, signal }));
      return checkResult(output, check, force);
    }
    const wire = await interruptible(NOT_PUBLISHED, (signal) => publishOverHttp(id, { ...remote, signal }));
    const fields = { build: wire.build_id, version: wire.version_id, server };
    return { json: wire, text: (wire.unchanged ? UNCHANGED : "") + output.details(fields) + notesOf(wire) };
  }
  const { sources, totalBytes } = await openLocalFiles({ metadata, ...files });
  const task = output.progress().begin(`publishing ${id}`, { total: totalBytes });
  try {
    const publisher = { operation, objects: await context.objects() };
    const request = {
      versionId: id,
      document: await readDocumentFile(metadata),
      files: sources,
      recompress,
      force,
      onBytes: (count: number) => task.advance(count),
      onWaiting: (problem: string) => output.warn(`waiting: ${problem}`),
      ...(keep !== undefined && { retention: { keep, linkTtlSeconds: settings.linkTtlSeconds } }),
    };
    if (dryRun) {
      const check = await interruptible(NOT_PUBLISHED, (signal) => checkFiles(publisher, { ...request, signal }));
      return checkResult(output, check, force);
    }
    const published = await interruptible(NOT_PUBLISHED, (signal) => publishFiles(publisher, { ...request, signal }));
    const { build, isUnchanged, replaced, removed } = published;
    const fields = { ...facts(build), ...(removed.length > 0 && { deleted: removed.map((one) => one.id) }) };
    return {
      json: publishedToWire(published),
      text:
        (isUnchanged ? UNCHANGED : "") + output.details(fields) + droppedSamples(build, replaced) + notesOf(published),
    };
  } finally {
    task.end();
  }
}

async function sweepLeftovers(
  { output, operation: openOperation, objects: openObjects }: CommandContext,
  { hours, dryRun = false }: { hours: number; dryRun?: boolean | undefined },
): Promise<Result> {
  const operation = await openOperation();
  const objects = await openObjects();
  const before = new Date(operation.now.getTime() - hours * HOUR_MS);
  const swept = dryRun
    ? await findLeftovers(operation.store, objects, before)
    : await sweep(operation, objects, before);
  const sizeBytes = swept.objects.reduce((sum, object) => sum + object.sizeBytes, 0);
  return {
    json: {
      dry_run: dryRun,
      staged_build_ids: swept.stagedBuildIds,
      object_keys: swept.objects.map(({ key }) => key),
      object_bytes: sizeBytes,
      partial_uploads: swept.partialUploads,
    },
    text: output.details({
      "staged builds": swept.stagedBuildIds,
      objects: `${swept.objects.length} (${formatBytes(sizeBytes)})`,
      "partial uploads": swept.partialUploads,
    }),
  };
}

function facts(build: Build) {
  return {
    build: build.id,
    version: build.versionId,
    updated: build.updated,
    rows: build.entries,
    ...Object.fromEntries(FILE_KINDS.map((kind) => [kind.replace("_", " "), sizeOf(build, kind)])),
  };
}

function notesOf({ notes = [] }: { notes?: string[] }): string {
  return notes.map((note) => `Note: ${note}.\n`).join("");
}

/** Warns about a mistake that is easy to make, because samples are optional: the options were given for the last build and not for this one. */
function droppedSamples(build: Build, replaced: Build | undefined): string {
  const dropped = FORMATS.filter((format) => replaced?.files[sampleOf(format)] && !build.files[sampleOf(format)]);
  if (dropped.length === 0) return "";
  const options = dropped.map((format) => `--sample-${format}`).join(" and ");
  return `The previous build had a sample as ${dropped.join(" and ")}, this one has none. To add it, publish with ${options}.\n`;
}

function sizeOf(build: Build, kind: FileKind): string | undefined {
  const file = build.files[kind];
  return file && `${file.sizeBytes} bytes, sha256 ${file.checksums.sha256}`;
}
