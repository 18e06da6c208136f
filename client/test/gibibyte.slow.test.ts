import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, mkdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mmdbMetadata } from "../../server/test/builds/made.ts";
import { build, buildFile } from "../../server/test/sql/samples.ts";
import { ID, TestDepot } from "./depot.ts";
import { InstalledPackage, OLD_NODE } from "./package.ts";

const run = promisify(execFile);
const GIB = 1024 ** 3;
const PEAK_MAX_MB = 160;

describe("a download of 1 GiB", () => {
  let installed: InstalledPackage;
  let depot: TestDepot;
  let objectPath: string;
  beforeAll(async () => {
    [installed, depot] = await Promise.all([InstalledPackage.build(), TestDepot.open()]);
    objectPath = await publishGibibyte(depot);
  });
  afterAll(async () => {
    await installed.dispose();
    await depot.dispose();
  });

  async function fetchIt(node: string): Promise<{ sizeBytes: number; peakMb: number }> {
    const { apiUrl, key } = depot.customer;
    const library = pathToFileURL(join(installed.path, "dist/index.js")).href;
    const to = depot.path("gibibyte.mmdb");
    await rm(to, { force: true });
    const program = join(import.meta.dirname, "fetch-gibibyte.js");
    const { stdout } = await run(node, [program, library, apiUrl, key, to]);
    return JSON.parse(stdout);
  }

  it.runIf(process.platform === "linux")(`takes less than ${PEAK_MAX_MB} MB of memory`, async () => {
    for (const node of [process.execPath, OLD_NODE]) {
      const { sizeBytes, peakMb } = await fetchIt(node);
      expect(sizeBytes).toBeGreaterThan(GIB);
      expect(peakMb).toBeLessThan(PEAK_MAX_MB);
    }
    const [fetched, published] = await Promise.all([
      sha256OfFile(depot.path("gibibyte.mmdb")),
      sha256OfFile(objectPath),
    ]);
    expect(fetched).toBe(published);
  });
});

/** One node and a gibibyte of zeros, as a sparse file. */
async function publishGibibyte(depot: TestDepot): Promise<string> {
  const { service, dataDir, operator } = depot.test;
  const published = build(ID, { state: "published", files: {} });
  const objectKey = `${ID}/${published.id}/${ID}.mmdb`;
  const path = join(dataDir, "objects", objectKey);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, Buffer.from([0, 0, 1, 0, 0, 17]));
  await truncate(path, GIB);
  await appendFile(path, mmdbMetadata({ nodeCount: 1, recordSizeBits: 24 }));
  const { size: sizeBytes } = await stat(path);
  const sha256 = await sha256OfFile(path);
  const checksums = { ...buildFile().checksums, sha256 };
  published.files.mmdb = buildFile({ objectKey, sizeBytes, checksums });
  await service.parts.store.change(async (tables) => {
    await tables.builds.insert(published);
    await tables.versions.setCurrentBuild(ID, published.id);
  });
  await operator.settle();
  return path;
}

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(bytes);
  return hash.digest("hex");
}
