import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import {
  GetObjectLockConfigurationCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutObjectLockConfigurationCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type OpenStage, type Stage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { isInstalled } from "../../../../../rigs/harness/tools.ts";
import { DbdepotClient } from "../../../../client/src/client.ts";
import type { Destination } from "../../../src/domain/destinations/destination.ts";
import { ownershipPath } from "../../../src/domain/destinations/destination.ts";
import {
  allowDestinations,
  createDestination,
  type DestinationRequest,
  deleteDestination,
  requireDestination,
} from "../../../src/domain/destinations/destinations.ts";
import { testDestination } from "../../../src/domain/destinations/try.ts";
import { grantLicence } from "../../../src/domain/licences/licences.ts";
import { createSigningKey } from "../../../src/domain/manifests/signing-keys.ts";
import { addOrganization } from "../../../src/domain/organizations/organizations.ts";
import { Depot } from "../builds/depot.ts";
import { sampleBuild } from "../builds/sample-build.ts";
import { CustomerBucket, DELIVERY_ACTIONS } from "./customer-bucket.ts";
import { startDeliverer } from "./deliverer.ts";

const run = promisify(execFile);
const server = inject("s3");
const PREFIX = "from-vendor";
const VENDOR = "arn:aws:iam:::user/test";
const ID = "some_v1";
const KILLS = 20;
/** Large enough to be sent in parts. */
const FILE_BYTES = 10 * 1024 * 1024;

describe.runIf(server?.customer)("Deliveries to a bucket of another user of Ceph", () => {
  let opened: OpenStage | undefined;
  let depot: Depot;
  let organizationId: string;
  beforeAll(async () => {
    const [first] = stages();
    if (!first) throw new Error("no stage to test on");
    const remembered: Stage = {
      ...first,
      async open(settings) {
        opened = await first.open(settings);
        return opened;
      },
    };
    depot = await Depot.open(remembered);
    await depot.addVersion(ID, ["mmdb"]);
    await createSigningKey(depot.operation());
    organizationId = (await addOrganization(depot.operation(), "Acme")).id;
    await grantLicence(depot.operation(), { organization: "Acme", base: "some", redistribution: "internal" });
    await allowDestinations(operation(), own, true);
  });
  afterAll(() => depot.dispose());

  const own = async () => ({ id: organizationId });
  const credentials = { accessKeyId: server?.accessKeyId ?? "", secretAccessKey: server?.secretAccessKey ?? "" };

  function operation() {
    const vendorIdentity = { principal: VENDOR, endpoint: new URL(server?.url ?? "").searchParams.get("endpoint") };
    const { rules, ...rest } = depot.operation();
    return { ...rest, rules: { ...rules, vendorIdentity, webhookPrivateNetworks: ["127.0.0.0/8"] } };
  }

  function deliverer() {
    const { store, objects, settings, clock } = depot;
    return startDeliverer({ store, objects, dataDir: settings.dataDir, clock: clock.now, credentials });
  }

  async function newDestination(bucket: CustomerBucket, more: Partial<DestinationRequest> = {}): Promise<Destination> {
    const { name, endpoint } = bucket;
    const request = { bucket: name, prefix: PREFIX, region: "us-east-1", endpoint, access: "vendor", ...more } as const;
    return createDestination(operation(), own, request);
  }

  async function tested({ id }: Destination) {
    const { openBucket } = await deliverer();
    const steps = await testDestination(operation(), openBucket, (tables) => requireDestination(tables, id));
    return steps.map(({ step, error }) => (error ? `${step}: ${error.problem}` : step));
  }

  async function verify(bucket: CustomerBucket, destination: Destination): Promise<void> {
    await bucket.put(`${PREFIX}/${ownershipPath(destination)}`, destination.ownership.token);
    expect(await tested(destination)).toEqual(["ownership", "write", "read", "delete"]);
  }

  async function deliver(): Promise<void> {
    const { runner } = await deliverer();
    await runner.runNext("plan_deliveries");
    while (await runner.runNext("deliver_builds"));
  }

  const remove = ({ id }: Destination) => deleteDestination(operation(), (tables) => requireDestination(tables, id));

  function publish(mark: string) {
    const sample = sampleBuild(ID, { mark, formats: ["mmdb"], rows: FILE_BYTES });
    return depot.publish(ID, sample);
  }

  it("need the customer's policy, and say what is missing in it", async () => {
    const bucket = await CustomerBucket.create(server as NonNullable<typeof server>);
    const destination = await newDestination(bucket);
    const proof = `${PREFIX}/${ownershipPath(destination)}`;
    expect(await tested(destination)).toEqual(["ownership: permission"]);
    await bucket.allow(VENDOR, ["s3:GetObject"]);
    await bucket.put(proof, destination.ownership.token);
    expect(await tested(destination)).toEqual(["ownership", "write: permission"]);
    await bucket.allow(VENDOR, ["s3:GetObject", "s3:PutObject"]);
    expect(await tested(destination)).toEqual(["ownership", "write", "read", "delete: permission"]);
    await bucket.allow("arn:aws:iam:::user/someone-else", DELIVERY_ACTIONS);
    expect(await tested(destination)).toEqual(["ownership: permission"]);
    await bucket.allow(VENDOR);
    expect(await tested(destination)).toEqual(["ownership", "write", "read", "delete"]);
    const missing = await newDestination({ ...bucket, name: "customer-without-this-bucket" } as CustomerBucket);
    expect(await tested(missing)).toEqual(["ownership: bucket"]);
    const encrypted = await newDestination(bucket, { prefix: `${PREFIX}/kms`, encryption: "aws:kms" });
    await bucket.put(`${PREFIX}/kms/${ownershipPath(encrypted)}`, encrypted.ownership.token);
    expect((await tested(encrypted))[1]).toMatch(/^write/);
    for (const each of [destination, missing, encrypted]) await remove(each);
    bucket.close();
  });

  it("leave no marker without its files when the server is killed 20 times, and continue", async () => {
    const bucket = await CustomerBucket.create(server as NonNullable<typeof server>);
    await bucket.allow(VENDOR);
    const destination = await newDestination(bucket, { keep: 2, prefix: PREFIX });
    await bucket.put(`${PREFIX}/${ownershipPath(destination)}`, destination.ownership.token);
    await tested(destination);
    const started = Date.now();
    let kills = 0;
    const argv = [
      join(import.meta.dirname, "deliverer.ts"),
      JSON.stringify(opened?.environment),
      JSON.stringify(credentials),
    ];
    for (; kills < KILLS; kills += 1) {
      if (kills % 4 === 0) await publish(`build ${kills}`);
      const child = spawn(process.execPath, [...argv, String(started)], { stdio: ["ignore", "pipe", "inherit"] });
      await once(createInterface(child.stdout), "line");
      await delay(Math.random() * 3000);
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      await expectComplete(bucket);
    }
    const last = await publish("the last one");
    depot.clock.advance("2 days");
    await deliver();
    expect(await bucket.latest(PREFIX, ID)).toMatchObject({ build_id: last.build.id });
    await expectComplete(bucket);
    const builds = (await bucket.keys()).filter((key) => key.endsWith(".mmdb"));
    expect(builds).toHaveLength(2);
    const [row] = await depot.store.destinations.databases([destination.id]);
    expect(row).toMatchObject({ buildId: last.build.id });
    // Each build counts as one download, however often it was begun.
    const { items } = {
      items: await depot.store.destinations.deliveries({ destinationId: destination.id, limit: 100 }),
    };
    const delivered = items.filter(({ outcome }) => outcome === "delivered").map(({ buildId }) => buildId);
    expect(new Set(delivered).size).toBe(delivered.length);
    await remove(destination);
    bucket.close();
  });

  /** Everything that the marker names is there, with its digest. */
  async function expectComplete(bucket: CustomerBucket): Promise<void> {
    const marker = await bucket.latest(PREFIX, ID);
    for (const { path, size_bytes: size, sha256 } of marker?.files ?? []) {
      const body = await bucket.get(`${PREFIX}/${path}`);
      expect([path, body?.length, body && createHash("sha256").update(body).digest("hex")]).toEqual([
        path,
        size,
        sha256,
      ]);
    }
  }

  it.runIf(isInstalled("rclone"))("can be synced and verified from the bucket, as rclone sees it", async () => {
    const bucket = await CustomerBucket.create(server as NonNullable<typeof server>);
    await bucket.allow(VENDOR);
    const { build } = await publish("for rclone");
    const destination = await newDestination(bucket);
    await verify(bucket, destination);
    await deliver();
    const directory = await mkdtemp(join(tmpdir(), "dbdepot-rclone-"));
    const { accessKeyId, secretAccessKey } = bucket.credentials;
    const remote = `:s3,provider=Ceph,access_key_id=${accessKeyId},secret_access_key=${secretAccessKey},endpoint='${bucket.endpoint}':${bucket.name}/${PREFIX}`;
    await run("rclone", ["copy", remote, directory, "--config", "/dev/null"]);
    const { publicKey } = (await depot.store.signingKeys.list())[0] ?? { publicKey: "" };
    const client = new DbdepotClient({ from: directory, trust: [publicKey] } as never);
    const path = join(directory, "downloaded.mmdb");
    await client.download(ID, "mmdb", { to: path });
    expect(
      createHash("sha256")
        .update(await readFile(path))
        .digest("hex"),
    ).toBe(build.files.mmdb?.checksums.sha256);
    await rm(directory, { recursive: true });
    await remove(destination);
    bucket.close();
  });

  it("keep versions in a bucket with object lock, where a delete only hides", async () => {
    const bucket = await CustomerBucket.create(server as NonNullable<typeof server>, {
      ObjectLockEnabledForBucket: true,
    });
    const Bucket = bucket.name;
    const Rule = { DefaultRetention: { Mode: "GOVERNANCE", Days: 1 } } as const;
    const ObjectLockConfiguration = { ObjectLockEnabled: "Enabled", Rule } as const;
    await bucket.client.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration }));
    expect(await bucket.client.send(new GetObjectLockConfigurationCommand({ Bucket }))).toBeDefined();
    await bucket.allow(VENDOR);
    const destination = await newDestination(bucket, { keep: 1 });
    await verify(bucket, destination);
    for (const mark of ["locked one", "locked two"]) {
      await publish(mark + randomBytes(4).toString("hex"));
      await deliver();
    }
    expect((await bucket.keys()).filter((key) => key.endsWith(".mmdb"))).toHaveLength(1);
    const { Versions = [] } = await bucket.client.send(new ListObjectVersionsCommand({ Bucket }));
    expect(Versions.filter(({ Key }) => Key?.endsWith(".mmdb"))).toHaveLength(2);
    const { Uploads = [] } = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket }));
    expect(Uploads).toEqual([]);
    await remove(destination);
    bucket.close();
  });
});
