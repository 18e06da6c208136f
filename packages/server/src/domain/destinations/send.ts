import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { MINUTE_MS } from "../../platform/primitives/dates.ts";
import { Unavailable } from "../../platform/primitives/faults.ts";
import type { ObjectStore } from "../builds/object-store.ts";
import type { JobContext } from "../jobs/runner.ts";
import { type Bucket, BucketError } from "./bucket.ts";
import type { DeliveredFile } from "./destination.ts";

/** A file must arrive at this rate on average, or its destination would keep others waiting. */
const MIN_BYTES_PER_SECOND = 512 * 1024;

/** Sends a file to a bucket. `content` is the file, or its key in our storage. */
export async function sendFile(
  objects: Pick<ObjectStore, "read">,
  { bucket, context }: { bucket: Bucket; context: JobContext },
  file: DeliveredFile,
  content: string | Uint8Array,
): Promise<void> {
  const tooSlow = new AbortController();
  const deadlineMs = 5 * MINUTE_MS + (file.sizeBytes / MIN_BYTES_PER_SECOND) * 1000;
  const timer = setTimeout(() => {
    tooSlow.abort(new BucketError("connection", "the storage receives less than 512 KiB per second"));
  }, deadlineMs);
  const signal = AbortSignal.any([context.signal, tooSlow.signal]);
  try {
    const body = typeof content === "string" ? verified(objects, content, file) : once(content);
    await bucket.upload(file, body, signal);
  } finally {
    clearTimeout(timer);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The bytes of the file in our storage. Fails at the end if they are not those that were published. */
async function* verified(
  objects: Pick<ObjectStore, "read">,
  objectKey: string,
  { sha256, path }: DeliveredFile,
): AsyncGenerator<Uint8Array> {
  const digest = createHash("sha256");
  for await (const chunk of (await objects.read(objectKey)) as Readable) {
    digest.update(chunk);
    yield chunk;
  }
  if (digest.digest("hex") !== sha256) throw new Unavailable(`${path} is damaged in our own storage`);
}
