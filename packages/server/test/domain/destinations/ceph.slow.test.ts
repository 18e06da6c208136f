import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import {
  GetObjectLockConfigurationCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutObjectLockConfigurationCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { CustomerBucket, DELIVERY_ACTIONS } from "./customer-bucket.ts";
import { ID, PREFIX, PRINCIPAL, Vendor } from "./vendor.ts";

const server = inject("s3");
const KILLS = 20;

describe("Deliveries to a bucket of another user of Ceph", needs("Ceph"), () => {
  let vendor: Vendor;
  beforeAll(async () => {
    vendor = await Vendor.open();
  });
  afterAll(() => vendor.dispose());

  it("need the customer's policy, and say what is missing in it", async () => {
    const bucket = await CustomerBucket.create(server as NonNullable<typeof server>);
    const destination = await vendor.newDestination(bucket);
    expect(await vendor.tested(destination)).toEqual(["ownership: permission"]);
    await bucket.allow(PRINCIPAL, ["s3:GetObject"]);
    await vendor.prove(bucket, destination);
    expect(await vendor.tested(destination)).toEqual(["ownership", "write: permission"]);
    await bucket.allow(PRINCIPAL, ["s3:GetObject", "s3:PutObject"]);
    expect(await vendor.tested(destination)).toEqual(["ownership", "write", "read", "delete: permission"]);
    await bucket.allow("arn:aws:iam:::user/someone-else", DELIVERY_ACTIONS);
    expect(await vendor.tested(destination)).toEqual(["ownership: permission"]);
    await bucket.allow(PRINCIPAL);
    expect(await vendor.tested(destination)).toEqual(["ownership", "write", "read", "delete"]);
    const missing = await vendor.newDestination({ ...bucket, name: "customer-without-this-bucket" } as CustomerBucket);
    expect(await vendor.tested(missing)).toEqual(["ownership: bucket"]);
    const encrypted = await vendor.newDestination(bucket, { prefix: `${PREFIX}/kms`, encryption: "aws:kms" });
    await vendor.prove(bucket, encrypted);
    expect((await vendor.tested(encrypted))[1]).toMatch(/^write/);
    for (const each of [destination, missing, encrypted]) await vendor.remove(each);
    bucket.close();
  });

  it("leave no marker without its files when the server is killed 20 times, and continue", async () => {
    const bucket = await CustomerBucket.create(server as NonNullable<typeof server>);
    await bucket.allow(PRINCIPAL);
    const destination = await vendor.verified(bucket, { keep: 2 });
    const started = Date.now();
    let kills = 0;
    const argv = [
      join(import.meta.dirname, "deliverer.ts"),
      JSON.stringify(vendor.environment),
      JSON.stringify(vendor.credentials),
      String(started),
      "30",
    ];
    for (; kills < KILLS; kills += 1) {
      if (kills % 4 === 0) await vendor.publish(`build ${kills}`);
      const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
      await once(createInterface(child.stdout), "line");
      await delay(Math.random() * 3000);
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      await expectComplete(bucket);
    }
    const last = await vendor.publish("the last one");
    vendor.depot.clock.advance("2 days");
    await vendor.deliver();
    expect(await bucket.latest(PREFIX, ID)).toMatchObject({ build_id: last.build.id });
    await expectComplete(bucket);
    const builds = (await bucket.keys()).filter((key) => key.endsWith(".mmdb"));
    expect(builds).toHaveLength(2);
    const [row] = await vendor.depot.store.destinations.databases([destination.id]);
    expect(row).toMatchObject({ buildId: last.build.id });
    // Each build counts as one download, however often it was begun.
    const log = await vendor.deliveries(destination);
    const delivered = log.filter(({ outcome }) => outcome === "delivered").map(({ buildId }) => buildId);
    expect(new Set(delivered).size).toBe(delivered.length);
    await vendor.remove(destination);
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

  it("keep versions in a bucket with object lock, where a delete only hides", async () => {
    const bucket = await CustomerBucket.create(server as NonNullable<typeof server>, {
      ObjectLockEnabledForBucket: true,
    });
    const Bucket = bucket.name;
    const Rule = { DefaultRetention: { Mode: "GOVERNANCE", Days: 1 } } as const;
    const ObjectLockConfiguration = { ObjectLockEnabled: "Enabled", Rule } as const;
    await bucket.client.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration }));
    expect(await bucket.client.send(new GetObjectLockConfigurationCommand({ Bucket }))).toBeDefined();
    await bucket.allow(PRINCIPAL);
    const destination = await vendor.verified(bucket, { keep: 1 });
    for (const mark of ["locked one", "locked two"]) {
      await vendor.publish(mark + randomBytes(4).toString("hex"));
      await vendor.deliver();
    }
    expect((await bucket.keys()).filter((key) => key.endsWith(".mmdb"))).toHaveLength(1);
    const { Versions = [] } = await bucket.client.send(new ListObjectVersionsCommand({ Bucket }));
    expect(Versions.filter(({ Key }) => Key?.endsWith(".mmdb"))).toHaveLength(2);
    const { Uploads = [] } = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket }));
    expect(Uploads).toEqual([]);
    await vendor.remove(destination);
    bucket.close();
  });
});
