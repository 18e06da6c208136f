import { FORMATS, type Format } from "@dbdepot/contract/formats";
import { inBytes } from "@dbdepot/terminal/amounts";
import { integerOption } from "@dbdepot/terminal/arguments";
import type { Output } from "@dbdepot/terminal/command";
import { Progress } from "@dbdepot/terminal/progress";
import { details, table } from "@dbdepot/terminal/table";
import type { Build } from "../builds/build.ts";
import { openLocalFiles, readDocumentFile } from "../builds/local-files.ts";
import { publishFiles } from "../builds/publication.ts";
import { rollBack, withdrawBuild } from "../builds/rollback.ts";
import { findLeftovers, sweep } from "../builds/sweep.ts";
import { buildToWire } from "../builds/wire.ts";
import { requireVersion } from "../catalogue/catalogue.ts";
import { command } from "./command.ts";
import { publishOverHttp } from "./remote.ts";

const KEEP_MAX = 100_000;
const SWEEP_HOURS_MAX = 24 * 365;

export const buildCommands = [
  command({
    words: "builds publish",
    summary: "Check a new build's files and make it the current one, all formats at once.",
    arguments: ["ID"],
    options: {
      metadata: { value: "FILE", required: true, help: "The exporter's document about the build; served as it is." },
      csvgz: { value: "FILE", help: "The csv.gz, if the version is built in it." },
      mmdb: { value: "FILE", help: "The mmdb, if the version is built in it." },
      force: { help: "Also if it is older than the current build, or its rows or bytes are off by more than half." },
      keep: { value: "N", help: "Keep so many builds of this version and let go of older ones; left out: all." },
      server: { value: "URL", help: "Publish on the dbdepot at this address; left out: on this machine's." },
      key: { value: "KEY", help: "For --server: an operator's key. Better in the environment, as DBDEPOT_API_KEY." },
    },
    async run(workplace, [id], { metadata, csvgz, mmdb, force, keep, server, key }) {
      const { linkTtlSeconds } = workplace.settings;
      const kept = keep === undefined ? undefined : integerOption("keep", keep, 1, KEEP_MAX);
      if (server !== undefined) {
        const { say } = workplace;
        const wire = await publishOverHttp(id, { server, key, metadata, csvgz, mmdb, force, keep: kept, say });
        return { json: wire, text: details({ build: wire.build_id, version: wire.version_id, server }) };
      }
      const { sources, totalBytes } = await openLocalFiles({ metadata, csvgz, mmdb });
      const { say } = workplace;
      const progress = new Progress({ label: `publishing ${id}`, total: totalBytes, unit: inBytes, say });
      const publisher = { operation: () => workplace.operation(), objects: await workplace.objects() };
      try {
        const { build, retired } = await publishFiles(publisher, {
          versionId: id,
          document: await readDocumentFile(metadata),
          files: sources,
          force: force === true,
          onBytes: (count) => progress.advance(count),
          ...(kept !== undefined && { retention: { keep: kept, linkTtlSeconds } }),
        });
        const removed = retired.map((one) => one.id);
        const wire = { build_id: build.id, ...buildToWire(build, build.id), removed_build_ids: removed };
        return { json: wire, text: details({ ...facts(build), ...(removed.length > 0 && { "let go of": removed }) }) };
      } finally {
        progress.end();
      }
    },
  }),
  command({
    words: "builds list",
    summary: "List the builds of a version, newest first.",
    arguments: ["ID"],
    options: {},
    async run(workplace, [id]) {
      const store = await workplace.store();
      const version = await requireVersion(store, id);
      const builds = await store.builds.list(version.id);
      return {
        json: builds.map((build) => buildToWire(build, version.currentBuildId)),
        text: table(
          ["BUILD", "STATE", "UPDATED", "ROWS", "CSVGZ", "MMDB", "BEGUN", "PUBLISHED"],
          builds.map((build) => [
            build.id,
            build.id === version.currentBuildId ? "current" : build.state,
            build.updated,
            build.entries,
            build.files.csvgz?.sizeBytes,
            build.files.mmdb?.sizeBytes,
            build.created,
            build.published,
          ]),
          "There are no builds yet.",
        ),
      };
    },
  }),
  command({
    words: "builds rollback",
    summary: "Make an earlier build of a version the current one again.",
    arguments: ["ID"],
    options: { to: { value: "BUILD", help: "Which one; left out: the one that was current before." } },
    async run(workplace, [versionId], { to }) {
      const build = await rollBack(await workplace.operation(), { versionId, ...(to !== undefined && { to }) });
      return { json: { build_id: build.id, ...buildToWire(build, build.id) }, text: details(facts(build)) };
    },
  }),
  command({
    words: "builds withdraw",
    summary: "Never hand a build out again; if it is the current one, the one before takes its place.",
    arguments: ["BUILD"],
    options: {},
    async run(workplace, [id]): Promise<Output> {
      const { build, currentBuildId } = await withdrawBuild(await workplace.operation(), id);
      return {
        json: { ...buildToWire(build, currentBuildId), current_build_id: currentBuildId },
        text: details({ build: id, state: build.state, "current build": currentBuildId ?? "none is left" }),
      };
    },
  }),
  command({
    words: "builds sweep",
    summary: "Remove what publications left behind that were cut off.",
    arguments: [],
    options: {
      hours: { value: "N", help: "Only what is older than this; it must outlast any publication. Left out: 24." },
      "dry-run": { help: "Only list what would be removed, partial uploads left aside." },
    },
    async run(workplace, _, { hours = "24", "dry-run": isDryRun }) {
      const ageHours = integerOption("hours", hours, 1, SWEEP_HOURS_MAX);
      const operation = await workplace.operation();
      const objects = await workplace.objects();
      const before = new Date(operation.now.getTime() - ageHours * 3_600_000);
      const swept = isDryRun
        ? await findLeftovers(operation.store, objects, before)
        : await sweep(operation, objects, before);
      const sizeBytes = swept.objects.reduce((sum, object) => sum + object.sizeBytes, 0);
      return {
        json: {
          dry_run: isDryRun === true,
          staged_build_ids: swept.stagedBuildIds,
          object_keys: swept.objects.map(({ key }) => key),
          object_bytes: sizeBytes,
          partial_uploads: swept.partialUploads,
        },
        text: details({
          "staged builds": swept.stagedBuildIds,
          objects: `${swept.objects.length} (${inBytes(sizeBytes)})`,
          "partial uploads": swept.partialUploads,
        }),
      };
    },
  }),
];

function facts(build: Build) {
  return {
    build: build.id,
    version: build.versionId,
    updated: build.updated,
    rows: build.entries,
    ...Object.fromEntries(FORMATS.map((format) => [format, sizeOf(build, format)])),
  };
}

function sizeOf(build: Build, format: Format): string | undefined {
  const file = build.files[format];
  return file && `${file.sizeBytes} bytes, sha256 ${file.checksums.sha256}`;
}
