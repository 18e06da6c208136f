import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { type ByFormat, FORMATS, type Format, fileName } from "@dbdepot/contract/shared/formats";
import type { Customer } from "../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../rigs/harness/service/stages.ts";
import { checksumsOf, type TestService, testService } from "../../../rigs/harness/service/test-service.ts";
import { signCurrent } from "../../server/src/domain/manifests/sign.ts";
import { build, buildFile } from "../../server/test/adapters/sql/samples.ts";
import { mmdbOf } from "../../server/test/domain/builds/sample-build.ts";
import { type ClientOptions, DbdepotClient } from "../src/index.ts";

export const ID = "vpn_ip_v1";

/** The real service with one licensed database, a customer, and a directory for downloads. */
export class TestDepot {
  readonly test: TestService;
  readonly customer: Customer;
  readonly folder: string;

  private constructor(test: TestService, customer: Customer, folder: string) {
    this.test = test;
    this.customer = customer;
    this.folder = folder;
  }

  static async open(settings: Record<string, string> = {}, stage = stages()[0] as Stage): Promise<TestDepot> {
    const test = await testService(stage, settings);
    await test.operator.addDatabase(ID);
    const customer = await test.operator.customer("Acme", { scopes: ["db.download", "apikeys.manage"] });
    await test.operator.grant("Acme", "vpn_ip", { starts: new Date(0) });
    return new TestDepot(test, customer, await mkdtemp(join(tmpdir(), "dbdepot-client-")));
  }

  client(options: Partial<ClientOptions> = {}): DbdepotClient {
    const { apiUrl: baseUrl, key: apiKey } = this.customer;
    return new DbdepotClient({ baseUrl, apiKey, retryDelayMs: 1, env: {}, ...options });
  }

  path(name = "vpn.mmdb"): string {
    return join(this.folder, name);
  }

  /** Returns the part files of a target. */
  async parts(path: string): Promise<string[]> {
    const names = await readdir(this.folder);
    return names.filter((name) => name.startsWith(`.${basename(path)}.`)).map((name) => join(this.folder, name));
  }

  /** Publishes a build with these files. */
  async publish(files: ByFormat<Buffer>, id = ID): Promise<{ id: string; files: ByFormat<Buffer> }> {
    const { service, operator, clock } = this.test;
    const { store, objects } = service.services;
    const size = { csvgz: files.csvgz?.length, mmdb: files.mmdb?.length };
    const metadata = Buffer.from(JSON.stringify({ id, updated: "2027-01-01", entries: 3, size, schema: {} }));
    const published = build(id, { state: "published", published: clock.now(), metadata, files: {} });
    for (const format of FORMATS) {
      const bytes = files[format];
      if (!bytes) continue;
      const objectKey = `${id}/${published.id}/${fileName(id, format)}`;
      await objects.put(objectKey, Readable.from([bytes]));
      published.files[format] = buildFile({ objectKey, sizeBytes: bytes.length, checksums: checksumsOf(bytes) });
    }
    await store.change(async (tables) => {
      await tables.builds.insert(published);
      await tables.versions.setCurrentBuild(id, published.id);
      await signCurrent(tables, operator.operation(), id, published);
    });
    await operator.settle();
    return { id: published.id, files };
  }

  async dispose(): Promise<void> {
    await this.test.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Valid files that share nothing with files of another mark. */
export function filesOf(mark: string, sizeBytes = 100_000): Record<Format, Buffer> {
  const noise: string[] = [];
  for (let at = 0; at < sizeBytes; at += 64) noise.push(createHash("sha256").update(`${mark} ${at}`).digest("hex"));
  const text = noise.join("").slice(0, sizeBytes);
  return { mmdb: mmdbOf(text), csvgz: gzipSync(`value\n${noise.join("\n")}\n`) };
}

export function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
