import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Api } from "../chaos/api.ts";
import { addDatabase, type PreparedBuild, prepare } from "../chaos/builds.ts";
import { createOperatorKey } from "../chaos/installation.ts";
import { runCommand, type Server, startServer } from "../harness/server.ts";

/** Customers hold a licence for this database. */
export const LICENSED = "vpn_ip_v1";
/** No customer holds a licence for this one. */
export const UNLICENSED = "hosting_ip_v1";
/** Two files of about 400 kB. */
const ROWS = 10_000;
const ORGANIZATIONS = 100;
const CONCURRENCY = 16;

/** A running `dbdepot-server serve` on SQLite and disk, with two databases and many customers. */
export class Vendor implements AsyncDisposable {
  readonly directory: string;
  readonly server: Server;
  readonly operator: Api;

  private constructor(directory: string, server: Server, operator: Api) {
    this.directory = directory;
    this.server = server;
    this.operator = operator;
  }

  static async open(): Promise<Vendor> {
    const directory = await mkdtemp(join(tmpdir(), "dbdepot-load-"));
    const data = { dataDir: join(directory, "data") };
    const operatorKey = await createOperatorKey(data);
    const server = await startServer(data, { path: "/readyz", headers: {} });
    const vendor = new Vendor(directory, server, new Api(server.origin, operatorKey));
    for (const id of [LICENSED, UNLICENSED]) await addDatabase(vendor.operator, id, await newBuild(id));
    return vendor;
  }

  /** Creates organizations with a licence, and as many keys, and returns the keys. */
  async addCustomers(count: number): Promise<string[]> {
    const names = Array.from({ length: Math.min(ORGANIZATIONS, count) }, (_, i) => `Organization ${i}`);
    await inParallel(names, async (name) => {
      await this.operator.json("/api/operator/organizations", { body: { name } });
      const licence = { org: name, base: LICENSED.replace(/_v1$/, ""), redistribution: "internal" };
      await this.operator.json("/api/operator/licences", { body: licence });
    });
    const numbers = Array.from({ length: count }, (_, i) => i);
    return inParallel(numbers, async (i) => {
      const body = { name: `machine ${i}`, org: names[i % names.length], allowed_scopes: ["db.download"] };
      return (await this.operator.json<{ key: string }>("/api/operator/keys", { body })).key;
    });
  }

  async addLegacyKey(): Promise<string> {
    const data = { dataDir: join(this.directory, "data") };
    const args = ["legacy-keys", "create", "--name", "old", "--ids", LICENSED];
    return (await runCommand<{ key: string }>(data, ...args)).key;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true });
  }
}

let builds = 0;

/** Every build is larger than the one before. */
export function newBuild(versionId: string): Promise<PreparedBuild> {
  builds += 1;
  return prepare(versionId, ROWS + builds);
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}
