import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { CreateMultipartUploadCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, inject, test } from "vitest";
import { s3Store } from "../../src/objects/s3.ts";
import { parseS3Url } from "../../src/objects/s3-url.ts";
import type { Credentials } from "../../src/objects/sigv4.ts";
import { storeContract } from "./store.contract.ts";

const server = inject("s3");

describe.runIf(server)("S3", () => {
  const { url = "s3://none?region=none", accessKeyId = "", secretAccessKey = "" } = server ?? {};
  const credentials = { accessKeyId, secretAccessKey };
  const named = parseS3Url(url);
  // Every place has a prefix of its own, so it is empty. The odd characters must come through too.
  const newAddress = () => ({ ...named, prefix: [named.prefix, `a b+ü/${randomUUID()}`].filter(Boolean).join("/") });

  storeContract("the S3 store", async () => {
    const address = newAddress();
    const signedWith = (signer: Credentials) => s3Store({ address, credentials: signer, publicEndpoint: undefined });
    return { store: signedWith(credentials), credentials, signedWith, close: async () => {} };
  });

  test("a large object is not overwritten either", async () => {
    const store = s3Store({ address: newAddress(), credentials, publicEndpoint: undefined });
    await store.put("large", Readable.from([Buffer.alloc(9_000_000, "a")]));
    await expect(store.put("large", Readable.from([Buffer.alloc(9_000_000, "b")]))).rejects.toThrow(
      "never overwritten",
    );
  });

  test("what an upload cut off by a crash has left is swept", async () => {
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

  test("links go to the public endpoint where there is one", () => {
    const address = { ...named, pathStyle: true, bucket: "files", prefix: "" };
    const store = s3Store({ address, credentials, publicEndpoint: "https://downloads.example.com" });
    const terms = { ttlSeconds: 60, filename: "a.mmdb", contentType: "a/b", now: new Date() };
    expect(store.linkOrigin).toBe("https://downloads.example.com");
    expect(store.link("a/b", terms)).toMatch(/^https:\/\/downloads\.example\.com\/files\/a\/b\?X-Amz-/);
  });

  test("a server that is not there, or does not know us, is told apart from a missing object", async () => {
    const stranger = { accessKeyId: "nobody", secretAccessKey: "nothing" };
    const store = s3Store({ address: newAddress(), credentials: stranger, publicEndpoint: undefined });
    await expect(store.stat("a")).rejects.toThrow();
    await expect(store.put("a", Readable.from([Buffer.from("x")]))).rejects.toThrow();
    const bucketless = s3Store({
      address: { ...named, bucket: "no-such-bucket" },
      credentials,
      publicEndpoint: undefined,
    });
    await expect(bucketless.read("a")).rejects.toThrow(expect.objectContaining({ name: "NoSuchBucket" }));
    await expect(bucketless.put("a", Readable.from([Buffer.from("x")]))).rejects.toThrow();
  });
});
