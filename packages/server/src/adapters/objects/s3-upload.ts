import { createHash, hash } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  type ServerSideEncryption,
  UploadPartCommand,
} from "@aws-sdk/client-s3";

/** S3 accepts 10,000 parts, which allows objects of up to 78 GiB. */
const PART_BYTES = 8 * 1024 * 1024;
/** The memory of an upload: one part is filled while the others are sent. */
const PARTS_IN_MEMORY = 3;

export interface UploadTarget {
  Bucket: string;
  Key: string;
  /** "*": S3 refuses the write if the object exists. */
  IfNoneMatch?: "*";
}

/** Thrown if the storage says that it received something else than was sent. */
export class WrongDigest extends Error {}

export interface UploadOptions {
  /** Sends the MD5 digest of everything with it, which the storage compares, and compares the one that it returns. */
  isChecked?: boolean;
  /** Ends requests that take too long. Called once for each. */
  signal?: () => AbortSignal;
}

/** Headers with which S3 and a CDN in front of it deliver the object. */
export interface UploadHeaders {
  ContentType?: string;
  ContentDisposition?: string;
  ServerSideEncryption?: ServerSideEncryption;
  ACL?: "bucket-owner-full-control";
  Metadata?: Record<string, string>;
}

/**
 * Sends a body of unknown length in one request or in parts and returns its length. Leaves no parts behind if it fails.
 */
export async function upload(
  client: S3Client,
  target: UploadTarget,
  headers: UploadHeaders,
  body: AsyncIterable<Uint8Array>,
  options: UploadOptions = {},
): Promise<number> {
  const memory = new PartMemory();
  const sending = new Parts(client, target, headers, options);
  const whole = { ...target, ...headers };
  let sizeBytes = 0;
  try {
    for await (const part of inParts(body, memory)) {
      sizeBytes += part.length;
      // Only the last part can be shorter, so a short first part is the whole body.
      if (sizeBytes < PART_BYTES) await put(client, whole, part, options);
      else await sending.begin(part, () => memory.giveBack(part));
    }
    if (sizeBytes === 0) await put(client, whole, new Uint8Array(), options);
    else if (sizeBytes >= PART_BYTES) await sending.complete();
    return sizeBytes;
  } catch (error) {
    await sending.abort();
    throw error;
  }
}

/** Sends a body that is in memory. */
export async function put(
  client: S3Client,
  target: UploadTarget & UploadHeaders,
  body: Uint8Array,
  { isChecked, signal }: UploadOptions,
): Promise<void> {
  const digest = isChecked ? { ContentMD5: hash("md5", body, "base64") } : {};
  const command = new PutObjectCommand({ ...target, ...digest, Body: body, ContentLength: body.length });
  const response = await client.send(command, abortWith(signal));
  if (isChecked) requireETag(response, body);
}

function abortWith(signal: UploadOptions["signal"]) {
  return signal ? { abortSignal: signal() } : {};
}

/** Most storages return the MD5 digest as the ETag, unless they encrypt with a key of the customer. */
function requireETag({ ETag }: { ETag?: string | undefined }, body: Uint8Array): void {
  const tag = ETag?.replaceAll('"', "");
  if (!tag) throw new WrongDigest("the response has no ETag");
  if (/^[0-9a-f]{32}$/.test(tag) && tag !== createHash("md5").update(body).digest("hex")) {
    throw new WrongDigest("the ETag belongs to other bytes");
  }
}

/** The parts of one upload, several of which are sent concurrently. */
class Parts {
  readonly #client: S3Client;
  readonly #target: UploadTarget;
  readonly #headers: UploadHeaders;
  readonly #options: UploadOptions;
  readonly #sent: Promise<{ ETag: string | undefined; PartNumber: number }>[] = [];
  #uploadId: string | undefined;

  constructor(client: S3Client, target: UploadTarget, headers: UploadHeaders, options: UploadOptions) {
    this.#client = client;
    this.#target = target;
    this.#headers = headers;
    this.#options = options;
  }

  async begin(part: Buffer, onDone: () => void): Promise<void> {
    const { isChecked, signal } = this.#options;
    const { Bucket, Key } = this.#target;
    const create = new CreateMultipartUploadCommand({ Bucket, Key, ...this.#headers });
    this.#uploadId ??= (await this.#client.send(create, abortWith(signal))).UploadId;
    const PartNumber = this.#sent.length + 1;
    const digest = isChecked ? { ContentMD5: hash("md5", part, "base64") } : {};
    const command = new UploadPartCommand({ Bucket, Key, UploadId: this.#uploadId, PartNumber, Body: part, ...digest });
    const sending = this.#client
      .send(command, abortWith(signal))
      .then((response) => {
        if (isChecked) requireETag(response, part);
        return { ETag: response.ETag, PartNumber };
      })
      .finally(onDone);
    // Awaited at the end. Until then a failure must not count as unhandled.
    sending.catch(() => {});
    this.#sent.push(sending);
  }

  async complete(): Promise<void> {
    const MultipartUpload = { Parts: await Promise.all(this.#sent) };
    const { Bucket, Key, IfNoneMatch } = this.#target;
    const condition = IfNoneMatch ? { IfNoneMatch } : {};
    await this.#client.send(
      new CompleteMultipartUploadCommand({ Bucket, Key, UploadId: this.#uploadId, MultipartUpload, ...condition }),
      abortWith(this.#options.signal),
    );
  }

  async abort(): Promise<void> {
    if (this.#uploadId === undefined) return;
    // A part that arrives after the abort would stay and cost money.
    await Promise.allSettled(this.#sent);
    const { Bucket, Key } = this.#target;
    // The error of the upload matters more. `builds sweep` removes the remaining parts.
    await this.#client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: this.#uploadId })).catch(() => {});
  }
}

/** A pool of buffers for parts. */
class PartMemory {
  readonly #free: Buffer[] = [];
  #made = 0;
  #onFree: (() => void) | undefined;

  async take(): Promise<Buffer> {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#made < PARTS_IN_MEMORY) {
      this.#made += 1;
      return Buffer.allocUnsafeSlow(PART_BYTES);
    }
    await new Promise<void>((resolve) => {
      this.#onFree = resolve;
    });
    return this.take();
  }

  giveBack(part: Buffer): void {
    this.#free.push(Buffer.from(part.buffer));
    this.#onFree?.();
  }
}

async function* inParts(body: AsyncIterable<Uint8Array>, memory: PartMemory): AsyncGenerator<Buffer> {
  let part = await memory.take();
  let filledBytes = 0;
  for await (const bytes of body) {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + PART_BYTES - filledBytes);
      part.set(piece, filledBytes);
      at += piece.length;
      filledBytes += piece.length;
      if (filledBytes < PART_BYTES) continue;
      yield part;
      part = await memory.take();
      filledBytes = 0;
    }
  }
  if (filledBytes > 0) yield part.subarray(0, filledBytes);
}
