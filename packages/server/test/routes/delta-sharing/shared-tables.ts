import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type Customer, call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import type { Stage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import { publishFiles } from "../../../src/domain/builds/publishing/publish-files.ts";
import { removeSurplus } from "../../../src/domain/builds/retention.ts";
import { updateVersion } from "../../../src/domain/catalogue/catalogue.ts";
import type { JobContext } from "../../../src/domain/jobs/runner.ts";
import { tableRemovalJob } from "../../../src/domain/sharing/removal.ts";
import { rowsOf } from "../../domain/sharing/duckdb.ts";
import { tableBuild } from "../../domain/sharing/table-build.ts";

const COLUMNS = { ip: "ip", asn: "uint32" };

/** A file of a response. */
export interface SharedFile {
  url: string;
  id: string;
  size: number;
  stats: string;
  version: number;
  timestamp: number;
  expirationTimestamp: number;
}

/** A service with tables, and a customer who reads them. The table of `vpn_ip_v1` exists, without a build. */
export class SharedTables {
  readonly test: TestService;
  readonly acme: Customer;
  readonly #directory: string;
  #count = 0;

  private constructor(test: TestService, acme: Customer, directory: string) {
    this.test = test;
    this.acme = acme;
    this.#directory = directory;
  }

  static async open(stage: Stage): Promise<SharedTables> {
    const test = await testService(stage);
    const directory = await mkdtemp(join(tmpdir(), "dbdepot-tables-"));
    const tables = new SharedTables(test, await test.operator.customer("Acme"), directory);
    await tables.addTable("vpn_ip_v1");
    await test.operator.grant("Acme", "vpn_ip");
    return tables;
  }

  async dispose(): Promise<void> {
    await this.test.dispose();
    await rm(this.#directory, { recursive: true });
  }

  async addTable(id: string, visibility: "public" | "private" = "public"): Promise<void> {
    const { operator } = this.test;
    await operator.addDatabase(id, { visibility, formats: ["csvgz"] });
    await updateVersion(operator.operation(), id, { tables: true });
    await operator.settle();
  }

  /** A table of its own, which Acme may read. Returns its URL. */
  async newTable(): Promise<{ id: string; url: string }> {
    this.#count += 1;
    const base = `some${this.#count}_ip`;
    await this.addTable(`${base}_v1`);
    await this.test.operator.grant("Acme", base);
    return { id: `${base}_v1`, url: `/shares/${base}/schemas/default/tables/${base}_v1` };
  }

  /** Publishes a build and waits until the table has it. */
  async publish(id: string, rows: readonly string[][]): Promise<Build> {
    const { clock, service, operator } = this.test;
    clock.advance("10 seconds");
    const { document, files } = tableBuild(id, COLUMNS, rows);
    const sources = Object.fromEntries(Object.entries(files).map(([kind, bytes]) => [kind, inOneChunk(bytes)]));
    const { build } = await publishFiles(
      { operation: async () => operator.operation(), objects: service.services.objects },
      { versionId: id, document, files: sources, force: true },
    );
    await this.written(build);
    return build;
  }

  async written(build: Build): Promise<void> {
    const { jobs, store } = this.test.service.services;
    jobs.wake();
    await expect
      .poll(async () => (await store.sharing.latest(build.versionId))?.buildId, { timeout: 60_000, interval: 50 })
      .toBe(build.id);
    await this.test.operator.settle();
  }

  /** Marks the builds before the newest ones as removed. */
  async removeOthers(current: Build, keep = 1): Promise<void> {
    const { clock, service } = this.test;
    const later = new Date(clock.now().getTime() + 86_400_000);
    const removed = await service.services.store.change((tables) =>
      removeSurplus(tables, current, { keep, linkTtlSeconds: 900 }, later),
    );
    expect(removed).not.toEqual([]);
  }

  /** Does what a server does regularly with files that are no longer offered. */
  async removeFiles(): Promise<void> {
    const { clock, service, stage } = this.test;
    const { objects, store } = service.services;
    const { tableLinkTtlSeconds: linkTtlSeconds } = stage.settings;
    const { run } = tableRemovalJob({ store, objects, clock: clock.now, linkTtlSeconds });
    await run({}, { signal: AbortSignal.timeout(60_000) } as JobContext);
    expect(await store.sharing.unneeded()).toEqual([]);
  }

  get(path: string, customer = this.acme): Promise<Reply> {
    return customer.get(`/delta-sharing${path}`);
  }

  post(path: string, body: object = {}, customer = this.acme): Promise<Reply> {
    return call(`${customer.apiUrl}/delta-sharing${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${customer.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  /** The rows behind the links of a response. */
  async rowsIn(reply: Reply): Promise<(string | null)[][]> {
    expect(reply.status).toBe(200);
    const rows: (string | null)[][] = [];
    for (const { url, id, size } of filesIn(reply)) {
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(bytes.length).toBe(size);
      const path = join(this.#directory, `${id}.parquet`);
      await writeFile(path, bytes);
      rows.push(...(await rowsOf([path])));
    }
    return rows;
  }
}

export function linesOf({ text }: Reply) {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

export function filesIn(reply: Reply): SharedFile[] {
  return linesOf(reply)
    .slice(2)
    .map((line) => Object.values(line)[0] as SharedFile);
}

export function expectError(
  reply: Reply,
  status: number,
  errorCode: string,
  message: unknown = expect.any(String),
): void {
  expect([reply.status, reply.json]).toEqual([status, { errorCode, message }]);
}

async function* inOneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
