import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Format } from "@dbdepot/contract/shared/formats";
import { exportDatabase } from "@dbdepot/exporter/export";
import type { TestService } from "../../../../rigs/harness/service/test-service.ts";
import type { Build } from "../../../server/src/domain/builds/build.ts";
import { publishFiles } from "../../../server/src/domain/builds/publishing/publish-files.ts";
import { JobRunner } from "../../../server/src/domain/jobs/runner.ts";
import { PATCH_LIMITS, patchJob } from "../../../server/src/domain/patches/job.ts";
import { makePatchInThread } from "../../../server/src/domain/patches/make-patch.ts";

const ROWS = 6000;

export interface ExportedBuild {
  build: Build;
  files: Record<Format, Buffer>;
}

/** Publishes a build made by the exporter, large enough for patches. Builds of consecutive days differ in 1 % of their rows. */
export async function publishDay({ operator, clock, service }: TestService, day: number): Promise<ExportedBuild> {
  clock.advance("1 seconds");
  const id = "vpn_ip_v1";
  const outDir = await mkdtemp(join(tmpdir(), "dbdepot-export-"));
  try {
    const updated = new Date(Date.UTC(2026, 10, day)).toISOString().slice(0, 10);
    await exportDatabase({ id, outDir, input: rowsOf(day), updated });
    const read = (name: string) => readFile(join(outDir, `${id}.${name}`));
    const files = { csvgz: await read("csv.gz"), mmdb: await read("mmdb") };
    const { build } = await publishFiles(
      { operation: async () => operator.operation(), objects: service.services.objects },
      {
        versionId: id,
        document: await read("metadata.json"),
        files: { csvgz: Readable.from([files.csvgz]), mmdb: Readable.from([files.mmdb]) },
        force: true,
      },
    );
    await operator.settle();
    return { build, files };
  } finally {
    await rm(outDir, { recursive: true });
  }
}

/** Makes all patches that are waiting, like the server does in the background. */
export async function makePatches(
  { service, operator, clock, dataDir }: TestService,
  { bases = 7 } = {},
): Promise<void> {
  const { store, objects } = service.services;
  const runner = new JobRunner({
    store,
    clock: clock.now,
    handlers: {
      make_patches: patchJob({
        store,
        objects,
        clock: clock.now,
        bases,
        selection: "all",
        directory: join(dataDir, "patches"),
        limits: PATCH_LIMITS,
        makePatch: makePatchInThread,
        onPatch: () => {},
      }),
    },
    onFailure: (_, error) => {
      throw error;
    },
  });
  while (await runner.runNext("make_patches"));
  await operator.settle();
}

function* rowsOf(day: number): Generator<Record<string, string>> {
  for (let row = 0; row < ROWS; row += 1) {
    // Every row changes on one day in a hundred.
    const changed = Math.floor((day + 100 - (row % 100)) / 100);
    const text = createHash("sha256").update(`${row} ${changed}`).digest("base64");
    yield { network: `10.${row >> 8}.${row & 255}.0/24`, provider: text.slice(0, 12) };
  }
}
