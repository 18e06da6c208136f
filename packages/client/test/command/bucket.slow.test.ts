import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { programEnvironment } from "../../../../rigs/harness/program-environment.ts";
import { allowDestinations } from "../../../server/src/domain/destinations/destinations.ts";
import { enqueue } from "../../../server/src/domain/jobs/jobs.ts";
import { createFreshnessKey } from "../../../server/src/domain/manifests/freshness-keys.ts";
import { createSigningKey } from "../../../server/src/domain/manifests/signing-keys.ts";
import { CustomerBucket } from "../../../server/test/domain/destinations/customer-bucket.ts";
import { ALLOW_LOOPBACK } from "../../../server/test/domain/webhooks/receiver.ts";
import { type ExportedBuild, makePatches, publishDay } from "./exported-builds.ts";
import { Shell } from "./shell.ts";

const server = inject("s3");
const ID = "vpn_ip_v1";
const FILE = "vpn_ip_v1.mmdb";
const PREFIX = "from-vendor";
const STALE = 5;
const MAIN = join(import.meta.dirname, "../../src/command/main.ts");

describe("a bucket to which builds are delivered, at its web address", needs("Ceph"), () => {
  let shell: Shell;
  let bucket: CustomerBucket;
  let id: string;
  let directory: string;
  let first: ExportedBuild;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "dbdepot-secrets-"));
    const DBDEPOT_SECRETS_KEY_FILE = join(directory, "secrets.key");
    await writeFile(DBDEPOT_SECRETS_KEY_FILE, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
    shell = await Shell.open({ ...ALLOW_LOOPBACK, DBDEPOT_SECRETS_KEY_FILE });
    await createSigningKey(operation());
    await createFreshnessKey(operation(), { validDays: 365 });
    first = await publishDay(shell.test, 1);
    await makePatches(shell.test);
    bucket = await CustomerBucket.create(server as NonNullable<typeof server>);
    // Like most public buckets, it lets everyone read objects, but not list them.
    await bucket.allow("*", ["s3:GetObject"]);
    const own = async () => ({ id: shell.customer.organizationId });
    await allowDestinations(operation(), own, true);
    const { accessKeyId, secretAccessKey } = bucket.credentials;
    const secretFile = join(directory, "access.key");
    await writeFile(secretFile, secretAccessKey, { mode: 0o600 });
    const place = ["--prefix", PREFIX, "--region", "us-east-1", "--endpoint", bucket.endpoint, "--keep", "1"];
    const access = ["--access", "keys", "--key-id", accessKeyId, "--secret-key-file", secretFile];
    const created = await shell.json(0, "destinations", "create", bucket.name, ...place, ...access);
    id = created.id;
    await bucket.put(created.ownership.key, created.ownership.content);
    const tested = await shell.run("destinations", "test", id);
    expect(tested).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^delete +ok$/m) });
    shell.test.service.services.jobs.wake();
  });
  afterAll(async () => {
    bucket.close();
    await shell.dispose();
    await rm(directory, { recursive: true });
  });

  const operation = () => ({ ...shell.test.operator.operation(), rules: shell.test.service.services.rules });

  /** Runs a command with a bucket instead of a service, as it would run some hours from now. */
  async function later(hours: number, ...argv: string[]) {
    const site = `${bucket.endpoint}/${bucket.name}/${PREFIX}`;
    const environment = {
      ...programEnvironment(),
      ...shell.environment,
      DBDEPOT_CLIENT_URL: "",
      DBDEPOT_CLIENT_KEY: "",
      DBDEPOT_CLIENT_FROM: site,
    };
    const child = spawn("faketime", ["-f", `+${hours}h`, process.execPath, MAIN, ...argv], { env: environment });
    const [out, err, exitCode] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.on("close", resolve)),
    ]);
    return { exitCode, out: out + err };
  }

  async function plan(): Promise<void> {
    const { store, jobs } = shell.test.service.services;
    await enqueue(store, "plan_deliveries", {}, shell.test.clock.now());
    jobs.wake();
  }

  /** Lets half the life of a statement pass. */
  async function pass(): Promise<void> {
    const { store, jobs } = shell.test.service.services;
    const before = await store.freshness.find(ID);
    shell.test.clock.advance("50000 seconds");
    jobs.wake();
    await expect.poll(async () => (await store.freshness.find(ID))?.issued).not.toEqual(before?.issued);
    await plan();
  }

  const read = async (path: string) => (await bucket.get(`${PREFIX}/${path}`))?.toString() ?? "{}";
  const statement = async () => JSON.parse(await read(`${ID}/freshness.json`));
  const trust = async () => JSON.parse(await readFile(shell.database(".dbdepot-trust.json"), "utf8")).databases[ID];

  it("serves a client that has seen a statement of freshness at the service", async () => {
    expect(await shell.run("sync", ID)).toMatchObject({ exitCode: 0 });
    const seen = (await trust()).freshness;
    await expect.poll(() => bucket.latest(PREFIX, ID)).toMatchObject({ sequence: 1 });
    expect(await statement()).toMatchObject({ id: ID, sequence: 1, issued: seen.issued });
    expect(await later(0, "sync", "--all")).toMatchObject({ exitCode: 0 });
    expect(await later(0, "verify", ID)).toMatchObject({ exitCode: 0 });
    expect((await bucket.keys()).filter((key) => key.endsWith(".patch"))).toHaveLength(1);
  });

  it("has the patches that are made after a delivery, with which clients update", async () => {
    const second = await publishDay(shell.test, 2);
    await plan();
    await expect.poll(() => bucket.latest(PREFIX, ID)).toMatchObject({ sequence: 2 });
    const ofFirst = async () => (await bucket.keys()).filter((key) => key.includes(first.build.id));
    await expect.poll(ofFirst).toEqual([]);
    await makePatches(shell.test);
    await plan();
    const { build_id: build } = (await bucket.latest(PREFIX, ID)) ?? {};
    await expect.poll(async () => JSON.parse(await read(`${ID}/${build}/patches.json`))).not.toEqual([]);
    expect(await later(0, "sync", ID)).toMatchObject({ exitCode: 0, out: expect.stringContaining("of the bytes") });
    expect(await readFile(shell.database(FILE))).toEqual(second.files.mmdb);
  });

  it(
    "gets new statements, without a new row in the log, until the destination is paused",
    needs("faketime"),
    async () => {
      const { store } = shell.test.service.services;
      const log = async () => (await shell.run("destinations", "deliveries", id)).out;
      const before = { statement: await statement(), log: await log() };
      expect(before.log.match(/ delivered +3 /g)).toHaveLength(2);
      expect(await later(30, "sync", ID)).toMatchObject({ exitCode: STALE, out: expect.stringContaining("ended on") });
      await pass();
      await expect.poll(async () => (await statement()).issued).not.toBe(before.statement.issued);
      expect(await later(30, "sync", ID)).toMatchObject({ exitCode: 0 });
      expect(await trust()).toMatchObject({ freshness: { issued: (await statement()).issued } });
      expect((await shell.run("destinations", "update", id, "--pause")).out).toMatch(/^state +paused$/m);
      const last = await statement();
      await pass();
      await expect.poll(() => store.jobs.find("plan_deliveries", "")).toMatchObject({ attempts: 0, claim: null });
      expect(await store.jobs.find("deliver_builds", id)).toBeUndefined();
      expect(await statement()).toEqual(last);
      expect(await later(60, "sync", ID)).toMatchObject({ exitCode: STALE, out: expect.stringContaining("ended on") });
      expect(await log()).toEqual(before.log);
    },
  );
});
