import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { peakMemoryMb } from "../../../../../rigs/harness/processes.ts";
import { build, buildFile } from "../../adapters/sql/samples.ts";
import { ID, PREFIX, Vendor } from "./vendor.ts";

const GIB = 1024 ** 3;
/** Three parts of a file, and what waits for the collector. */
const GROWTH_MAX_MB = 200;

describe("A delivery of 1 GiB", needs("Linux"), () => {
  const storage = new Storage();
  let vendor: Vendor;
  beforeAll(async () => {
    vendor = await Vendor.open(await storage.start());
  });
  afterAll(async () => {
    await vendor.dispose();
    await storage.stop();
  });

  it(`needs less than ${GROWTH_MAX_MB} MB of memory besides the program`, async () => {
    const current = await publishGibibyte();
    const destination = await vendor.newDestination({ name: "acme-data", endpoint: vendor.endpoint });
    const ownership = { ...destination.ownership, verified: vendor.depot.clock.now() };
    await vendor.depot.store.destinations.update({ ...destination, ownership });
    const argv = [vendor.environment, vendor.credentials].map((value) => JSON.stringify(value));
    const child = spawn(process.execPath, [join(import.meta.dirname, "deliverer.ts"), ...argv, String(Date.now())], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines: string[] = [];
    const peaksMb: number[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      peaksMb.push(peakMemoryMb(child.pid));
      if (lines.length === 2) break;
    }
    const ended = once(child, "exit");
    child.kill();
    await ended;
    expect(lines).toEqual(["started", "delivered"]);
    expect(storage.sizes.get(`/acme-data/${PREFIX}/${ID}/${current.id}/${ID}.mmdb`)).toBe(GIB);
    const [startedMb = 0, deliveredMb = 0] = peaksMb;
    expect(deliveredMb - startedMb).toBeLessThan(GROWTH_MAX_MB);
  });

  /** Adds a build whose file is 1 GiB of zeros, which takes no space on disk. */
  async function publishGibibyte() {
    const zeros = Buffer.alloc(1024 * 1024);
    const digest = createHash("sha256");
    for (let sizeBytes = 0; sizeBytes < GIB; sizeBytes += zeros.length) digest.update(zeros);
    const file = buildFile({ sizeBytes: GIB });
    file.checksums.sha256 = digest.digest("hex");
    const { store, settings } = vendor.depot;
    const current = build(ID, { state: "published", published: new Date(), files: { mmdb: file } });
    await store.change(async (tables) => {
      await tables.builds.insert(current);
      await tables.versions.setCurrentBuild(ID, current.id);
    });
    const path = join(settings.dataDir, "objects", file.objectKey);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "");
    await truncate(path, GIB);
    return current;
  }
});

/** An S3 storage that remembers only how large its objects are, and their metadata. */
class Storage {
  readonly sizes = new Map<string, number>();
  readonly #digests = new Map<string, string>();
  readonly #server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? "", "http://localhost");
    const { sizeBytes, md5 } = await read(request);
    const sha256 = request.headers["x-amz-meta-sha256"];
    if (typeof sha256 === "string") {
      this.#digests.set(pathname, sha256);
      this.sizes.set(pathname, 0);
    }
    if (request.method === "PUT") {
      this.sizes.set(pathname, (this.sizes.get(pathname) ?? 0) + sizeBytes);
      response.setHeader("etag", `"${md5}"`);
    }
    if (request.method === "HEAD") {
      response.setHeader("content-length", this.sizes.get(pathname) ?? 0);
      response.setHeader("x-amz-meta-sha256", this.#digests.get(pathname) ?? "");
    }
    if (request.method !== "POST") return response.end();
    const name = search.includes("uploads") ? "InitiateMultipartUploadResult" : "CompleteMultipartUploadResult";
    return response.end(`<${name}><UploadId>u</UploadId><ETag>e</ETag></${name}>`);
  });

  async start(): Promise<string> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), "close");
  }
}

async function read(request: IncomingMessage): Promise<{ sizeBytes: number; md5: string }> {
  const digest = createHash("md5");
  let sizeBytes = 0;
  for await (const chunk of request) {
    digest.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, md5: digest.digest("hex") };
}
