import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
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

/**
 * Sends a body of unknown length in one request or in parts and returns its length. Leaves no parts behind if it fails.
 */
export async function upload(client: S3Client, target: UploadTarget, body: AsyncIterable<Uint8Array>): Promise<number> {
  const memory = new PartMemory();
  const sending = new Parts(client, target);
  let sizeBytes = 0;
  try {
    for await (const part of inParts(body, memory)) {
      sizeBytes += part.length;
      // Only the last part can be shorter, so a short first part is the whole body.
      if (sizeBytes < PART_BYTES) await client.send(new PutObjectCommand({ ...target, Body: part }));
      else await sending.begin(part, () => memory.giveBack(part));
    }
    if (sizeBytes === 0)
      await client.send(new PutObjectCommand({ ...target, Body: new Uint8Array(), ContentLength: 0 }));
    else if (sizeBytes >= PART_BYTES) await sending.complete();
    return sizeBytes;
  } catch (error) {
    await sending.abort();
    throw error;
  }
}

/** The parts of one upload, several of which are sent concurrently. */
class Parts {
  readonly #client: S3Client;
  readonly #target: UploadTarget;
  readonly #sent: Promise<{ ETag: string | undefined; PartNumber: number }>[] = [];
  #uploadId: string | undefined;

  constructor(client: S3Client, target: UploadTarget) {
    this.#client = client;
    this.#target = target;
  }

  async begin(part: Buffer, onDone: () => void): Promise<void> {
    const { Bucket, Key } = this.#target;
    this.#uploadId ??= (await this.#client.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId;
    const PartNumber = this.#sent.length + 1;
    const command = new UploadPartCommand({ Bucket, Key, UploadId: this.#uploadId, PartNumber, Body: part });
    const sending = this.#client
      .send(command)
      .then(({ ETag }) => ({ ETag, PartNumber }))
      .finally(onDone);
    // Awaited at the end. Until then a failure must not count as unhandled.
    sending.catch(() => {});
    this.#sent.push(sending);
  }

  async complete(): Promise<void> {
    const MultipartUpload = { Parts: await Promise.all(this.#sent) };
    await this.#client.send(
      new CompleteMultipartUploadCommand({ ...this.#target, UploadId: this.#uploadId, MultipartUpload }),
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
