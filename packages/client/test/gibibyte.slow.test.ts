import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, mkdir, open, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { Format } from "@dbdepot/contract/shared/formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { build, buildFile } from "../../server/test/adapters/sql/samples.ts";
import { mmdbMetadata } from "../../server/test/domain/builds/sample-build.ts";
import { ID, TestDepot } from "./depot.ts";
import { otherNode } from "./other-node.ts";
import { InstalledPackage } from "./package.ts";

const run = promisify(execFile);
const GIB = 1024 ** 3;
/** Far less than the file. Buffers are freed when the collector runs, later on a busy machine. */
const PEAK_MAX_MB = 256;

describe("a download of 1 GiB", needs("Linux"), () => {
  let installed: InstalledPackage;
  let depot: TestDepot;
  let nodes: string[];
  beforeAll(async () => {
    [installed, depot] = await Promise.all([InstalledPackage.unpack(), TestDepot.open()]);
    nodes = [process.execPath, await otherNode(22)];
  }, 120_000);
  afterAll(async () => {
    await installed.dispose();
    await depot.dispose();
  });

  for (const [format, writeObject] of [
    ["mmdb", writeMmdb],
    ["csvgz", writeGzip],
  ] as const) {
    it(`verifies the ${format} in less than ${PEAK_MAX_MB} MB of memory`, async () => {
      const objectPath = await publish(depot, format, writeObject);
      const { apiUrl, key } = depot.customer;
      const library = pathToFileURL(join(installed.path, "dist/index.js")).href;
      const program = join(import.meta.dirname, "fetch-gibibyte.js");
      const to = depot.path(`gibibyte.${format}`);
      for (const node of nodes) {
        await rm(to, { force: true });
        const { stdout } = await run(node, [program, library, apiUrl, key, format, to]);
        const { sizeBytes, peakMb } = JSON.parse(stdout);
        expect(sizeBytes).toBeGreaterThanOrEqual(GIB);
        expect(peakMb).toBeLessThan(PEAK_MAX_MB);
      }
      // Exits with an error if they differ.
      await run("cmp", [to, objectPath]);
      await rm(to);
    });
  }
});

/** One node and a gibibyte of zeros, which takes no space on disk. */
async function writeMmdb(path: string): Promise<void> {
  await writeFile(path, Buffer.from([0, 0, 1, 0, 0, 17]));
  await truncate(path, GIB);
  await appendFile(path, mmdbMetadata({ nodeCount: 1, recordSizeBits: 24 }));
}

/** One gzip member again and again, which makes a valid gzip file. Random bytes are quick to decompress. */
async function writeGzip(path: string): Promise<void> {
  const member = gzipSync(randomBytes(12 * 1024 * 1024), { level: 1 });
  const file = await open(path, "w");
  for (let sizeBytes = 0; sizeBytes < GIB; sizeBytes += member.length) await file.write(member);
  await file.close();
}

async function publish(
  depot: TestDepot,
  format: Format,
  writeObject: (path: string) => Promise<void>,
): Promise<string> {
  const { service, dataDir, operator } = depot.test;
  const published = build(ID, { state: "published", files: {} });
  const objectKey = `${ID}/${published.id}/${ID}.${format}`;
  const path = join(dataDir, "objects", objectKey);
  await mkdir(dirname(path), { recursive: true });
  await writeObject(path);
  const { size: sizeBytes } = await stat(path);
  const checksums = { ...buildFile().checksums, sha256: await sha256OfFile(path) };
  published.files[format] = buildFile({ objectKey, sizeBytes, checksums });
  published.metadata = Buffer.from(
    JSON.stringify({ id: ID, updated: published.updated, size: { [format]: sizeBytes } }),
  );
  await service.services.store.change(async (tables) => {
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
