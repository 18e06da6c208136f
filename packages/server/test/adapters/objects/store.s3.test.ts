import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { CreateMultipartUploadCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, inject, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { probe } from "../../../src/adapters/objects/probe.ts";
import { s3Store } from "../../../src/adapters/objects/s3.ts";
import { parseS3Url } from "../../../src/adapters/objects/s3-url.ts";
import type { Credentials } from "../../../src/adapters/objects/sigv4.ts";
import { storeContract } from "./store.contract.ts";

const server = inject("s3");

describe("S3", needs("S3"), () => {
  const { url = "s3://none?region=none", accessKeyId = "", secretAccessKey = "" } = server ?? {};
  const credentials = { accessKeyId, secretAccessKey };
  const configured = parseS3Url(url);
  // Every store has its own prefix, so it starts empty. The odd characters must survive, too.
  const newAddress = () => ({
    ...configured,
    prefix: [configured.prefix, `a b+ü/${randomUUID()}`].filter(Boolean).join("/"),
  });

  storeContract("S3 store", async () => {
    const address = newAddress();
    const signedWith = (signer: Credentials) => s3Store({ address, credentials: signer, publicEndpoint: undefined });
    return { store: signedWith(credentials), credentials, signedWith, close: async () => {} };
  });

  it("never overwrites a large object", async () => {
    const store = s3Store({ address: newAddress(), credentials, publicEndpoint: undefined });
    await store.put("large", Readable.from([Buffer.alloc(9_000_000, "a")]));
    await expect(store.put("large", Readable.from([Buffer.alloc(9_000_000, "b")]))).rejects.toThrow(
      "never overwritten",
    );
  });

  it("names the bucket that does not exist, its address, and what to check", async () => {
    const address = { ...newAddress(), bucket: "no-such-bucket" };
    const store = s3Store({ address, credentials, publicEndpoint: undefined });
    await expect(probe(store)).rejects.toThrow(
      `the object storage cannot write: there is no bucket "no-such-bucket" at ${address.endpoint} (region ${address.region}): check the bucket, the region and the endpoint in DBDEPOT_OBJECTS_URL`,
    );
  });

  it("says which variables to check if the credentials are refused", async () => {
    const wrong = { ...credentials, secretAccessKey: "wrong" };
    const store = s3Store({ address: newAddress(), credentials: wrong, publicEndpoint: undefined });
    await expect(probe(store)).rejects.toThrow(/refuses access to the bucket .*check AWS_ACCESS_KEY_ID/);
  });

  it("sweeps uploads left by a crash", async () => {
    const address = newAddress();
    const store = s3Store({ address, credentials, publicEndpoint: undefined });
    const client = new S3Client({
      ...(address.endpoint && { endpoint: address.endpoint }),
      region: address.region,
      forcePathStyle: address.pathStyle,
      credentials: { ...credentials },
    });
    for (const name of ["one", "two"]) {
      const Key = `${address.prefix}/${name}`;
      await client.send(new CreateMultipartUploadCommand({ Bucket: address.bucket, Key }));
    }
    expect(await store.sweepPartial(new Date(Date.now() - 60_000))).toBe(0);
    expect(await store.sweepPartial(new Date(Date.now() + 60_000))).toBe(2);
    expect(await store.sweepPartial(new Date(Date.now() + 60_000))).toBe(0);
  });

  it("sends links to the public endpoint if one is set", () => {
    const address = { ...configured, pathStyle: true, bucket: "files", prefix: "" };
    const store = s3Store({ address, credentials, publicEndpoint: "https://downloads.example.com" });
    const terms = { ttlSeconds: 60, filename: "a.mmdb", contentType: "a/b", now: new Date() };
    expect(store.linkOrigin).toBe("https://downloads.example.com");
    expect(store.link("a/b", terms)).toMatch(/^https:\/\/downloads\.example\.com\/files\/a\/b\?X-Amz-/);
  });

  it("reports wrong credentials or a missing bucket as errors, not as a missing object", async () => {
    const unknown = { accessKeyId: "unknown", secretAccessKey: "unknown" };
    const store = s3Store({ address: newAddress(), credentials: unknown, publicEndpoint: undefined });
    await expect(store.stat("a")).rejects.toThrow();
    await expect(store.put("a", Readable.from([Buffer.from("x")]))).rejects.toThrow();
    const bucketless = s3Store({
      address: { ...configured, bucket: "no-such-bucket" },
      credentials,
      publicEndpoint: undefined,
    });
    await expect(bucketless.read("a")).rejects.toThrow(expect.objectContaining({ name: "NoSuchBucket" }));
    await expect(bucketless.put("a", Readable.from([Buffer.from("x")]))).rejects.toThrow();
  });
});
