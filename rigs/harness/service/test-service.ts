import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { type ByFileKind, FORMATS, type Format, fileName, formatOf, sampleOf } from "@dbdepot/contract/shared/formats";
import { pino } from "pino";
import type { Build, BuildFile } from "../../../packages/server/src/domain/builds/build.ts";
import { addFamily, addVersion } from "../../../packages/server/src/domain/catalogue/catalogue.ts";
import { createKey } from "../../../packages/server/src/domain/keys/keys.ts";
import { createLegacyKey } from "../../../packages/server/src/domain/legacy-keys/legacy-keys.ts";
import { grantLicence } from "../../../packages/server/src/domain/licences/licences.ts";
import { signCurrent } from "../../../packages/server/src/domain/manifests/sign.ts";
import { addOrganization } from "../../../packages/server/src/domain/organizations/organizations.ts";
import type { Operation } from "../../../packages/server/src/domain/store.ts";
import { newId } from "../../../packages/server/src/platform/primitives/ids.ts";
import { type Service, type ServiceOptions, startService } from "../../../packages/server/src/service/service.ts";
import { Customer } from "./customer.ts";
import type { OpenStage, Stage } from "./stages.ts";
import { TestClock } from "./test-clock.ts";

export interface TestService {
  service: Service;
  clock: TestClock;
  operator: Operator;
  stage: OpenStage;
  dataDir: string;
  databaseName: string;
  databaseContent(): Promise<string>;
  /** Everything logged so far. */
  logs(): string;
  dispose(): Promise<void>;
}

/** Starts the whole service on a new database and object store, with an empty catalogue. */
export async function testService(
  stage: Stage,
  settings: Record<string, string> = {},
  options: ServiceOptions = {},
): Promise<TestService> {
  const opened = await stage.open(settings);
  const clock = new TestClock();
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line) => lines.push(line) });
  const service = await startService(opened.settings, { clock: clock.now, log, ...options });
  return {
    service,
    clock,
    operator: new Operator(service, clock),
    stage: opened,
    dataDir: opened.settings.dataDir,
    databaseName: opened.databaseName,
    databaseContent: opened.databaseContent,
    logs: () => lines.join(""),
    dispose: async () => {
      await service.close();
      await opened.dispose();
    },
  };
}

/** Sets up test data. Its changes take effect immediately. */
export class Operator {
  readonly service: Service;
  readonly clock: TestClock;

  constructor(service: Service, clock: TestClock) {
    this.service = service;
    this.clock = clock;
  }

  operation(): Operation {
    const { store, rules } = this.service.services;
    return {
      store,
      actor: "test",
      now: this.clock.now(),
      rules: { privateKeys: rules.privateKeys, freshness: rules.freshness },
    };
  }

  /** Adds a version such as `vpn_ip_v1`, and its family if necessary. */
  async addDatabase(
    id: string,
    {
      visibility = "public",
      formats = FORMATS,
    }: { visibility?: "public" | "private"; formats?: readonly string[] } = {},
  ): Promise<void> {
    const base = id.replace(/_v\d+$/, "");
    const { families } = this.service.services.store;
    if (!(await families.byBase(base))) {
      await addFamily(this.operation(), { base, name: `The family ${base}`, visibility });
    }
    await addVersion(this.operation(), { id, summary: `What ${id} contains`, formats });
    await this.settle();
  }

  /** Publishes a build whose files contain `content`, with samples in these formats. */
  async publish(
    id: string,
    content = `content of ${id}`,
    samples: readonly Format[] = [],
    updated = "2026-11-01",
  ): Promise<Build> {
    const { store, objects } = this.service.services;
    const version = await store.versions.byId(id);
    if (!version) throw new Error(`no version ${id}`);
    const buildId = newId(this.clock.now());
    const files: ByFileKind<BuildFile> = {};
    for (const kind of [...version.formats, ...samples.map(sampleOf)]) {
      const isSample = kind.startsWith("sample");
      const bytes = fileBytes(formatOf(kind), isSample ? `sample of ${content}` : content);
      const objectKey = `${id}/${buildId}/${fileName(id, kind)}`;
      await objects.put(objectKey, Readable.from([bytes]));
      files[kind] = { objectKey, sizeBytes: bytes.length, checksums: checksumsOf(bytes) };
    }
    const build: Build = {
      id: buildId,
      versionId: id,
      state: "published",
      // Written by hand, because the service must preserve whitespace and the order of the fields.
      metadata: Buffer.from(`{ "id":"${id}",\n "entries": 1, "updated": "${updated}", "schema": {}, "size": {} }\n`),
      updated,
      entries: 1,
      files,
      created: this.clock.now(),
      published: this.clock.now(),
      withdrawn: null,
    };
    await store.change(async (tables) => {
      await tables.builds.insert(build);
      await tables.versions.setCurrentBuild(id, buildId);
      await signCurrent(tables, this.operation(), id, build);
    });
    await this.settle();
    return build;
  }

  async grant(
    organization: string,
    base: string,
    term: { starts?: Date; expires?: Date | null; terms?: string } = {},
  ): Promise<string> {
    const licence = await grantLicence(this.operation(), { organization, base, redistribution: "internal", ...term });
    await this.settle();
    return licence.id;
  }

  /** Adds an organization with a key and without licences. */
  async customer(
    name: string,
    { scopes = ["db.download"], cidrs = [] }: { scopes?: string[]; cidrs?: string[] } = {},
  ): Promise<Customer> {
    const organization = await addOrganization(this.operation(), name);
    const { key, plain } = await createKey(this.operation(), {
      organizationId: organization.id,
      name: `${name}'s key`,
      scopes,
      cidrs,
      expires: null,
    });
    return new Customer(this.service.apiUrl, plain.reveal(), { organizationId: organization.id, keyId: key.id });
  }

  /** Creates another key for the same organization. */
  async colleague(customer: Customer, { scopes = ["db.download"] }: { scopes?: string[] } = {}): Promise<Customer> {
    const { organizationId } = customer;
    const request = { organizationId, name: "a colleague's key", scopes, cidrs: [], expires: null };
    const { key, plain } = await createKey(this.operation(), request);
    return new Customer(this.service.apiUrl, plain.reveal(), { organizationId, keyId: key.id });
  }

  async legacyCustomer(databaseIds: string[], organization?: string): Promise<{ uuid: string; keyId: string }> {
    const request = { name: "old", databaseIds, ...(organization !== undefined && { organization }) };
    const { uuid, key } = await createLegacyKey(this.operation(), request);
    return { uuid, keyId: key.id };
  }

  /** Makes the service see all changes. */
  settle(): Promise<void> {
    return this.service.services.register.refresh();
  }
}

export function fileBytes(format: Format, content: string): Buffer {
  return format === "csvgz" ? gzipSync(`value\n${content}\n`) : Buffer.from(`mmdb ${content}`);
}

export function checksumsOf(bytes: Buffer) {
  const digest = (name: string) => createHash(name).update(bytes).digest("hex");
  return { md5: digest("md5"), sha1: digest("sha1"), sha256: digest("sha256"), sha512: digest("sha512") };
}
