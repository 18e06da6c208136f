import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  paginateListObjectsV2,
  S3Client,
  type S3ServiceException,
} from "@aws-sdk/client-s3";
import { FILE_TYPES, FORMATS } from "@dbdepot/contract/shared/formats";
import {
  NoSuchObject,
  ObjectExists,
  type ObjectKey,
  type ObjectStore,
  RangeNotInObject,
} from "../../domain/builds/object-store.ts";
import { MINUTE_MS } from "../../platform/primitives/dates.ts";
import { Unavailable } from "../../platform/primitives/faults.ts";
import { currentTrace, formatTraceparent } from "../../platform/primitives/trace-context.ts";
import { attachment, isFileName, linkSigner } from "./links.ts";
import { isObjectKey, requireObjectKey } from "./object-key.ts";
import { type UploadHeaders, upload } from "./s3-upload.ts";
import { endpointOf, linkTarget, type S3Address, usesPathStyle } from "./s3-url.ts";
import type { Credentials } from "./sigv4.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** How long to wait for a response to start, for requests without a large body. */
const ANSWER_TIMEOUT_MS = 30_000;
/** The same for requests that a client waits for, including the SDK's retries. */
const READ_TIMEOUT_MS = 10_000;
/** How long a connection may stay idle. It is long because a slow client of a streamed download slows its source down too. */
const IDLE_TIMEOUT_MS = 10 * MINUTE_MS;

/**
 * A streamed download occupies a connection for as long as its client needs. With the SDK's default of 50, that many slow
 * clients would block everyone else, publishing included.
 */
const CONNECTIONS_MAX = 10_000;

export interface S3StoreOptions {
  address: S3Address;
  credentials: Credentials;
  /** The endpoint in links, under which customers reach the storage (default: the endpoint that we use). */
  publicEndpoint: string | undefined;
}

export function s3Store({ address, credentials, publicEndpoint }: S3StoreOptions): ObjectStore {
  const { bucket: Bucket, region, endpoint } = address;
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint }),
    forcePathStyle: usesPathStyle(address),
    credentials: { ...credentials },
    // Otherwise streams are sent in a form that Ceph and others refuse with 411.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: CONNECTIONS_MAX },
      httpsAgent: { keepAlive: true, maxSockets: CONNECTIONS_MAX },
    },
  });
  // Lets the storage's own log and traces refer to the request that is being handled.
  client.middlewareStack.add(
    (next) => (args) => {
      const trace = currentTrace.getStore();
      if (trace) (args.request as { headers: Record<string, string> }).headers.traceparent = formatTraceparent(trace);
      return next(args);
    },
    { step: "build", name: "traceparent" },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        explainRefusal(error as S3ServiceException, address);
        throw error;
      }
    },
    { step: "initialize", name: "explainRefusal" },
  );
  const soon = { requestTimeout: ANSWER_TIMEOUT_MS };
  const target = linkTarget(address, publicEndpoint);
  const base = address.prefix === "" ? "" : `${address.prefix}/`;
  const at = (key: ObjectKey) => ({ Bucket, Key: base + requireObjectKey(key) });

  async function abort(Key: string, UploadId: string): Promise<void> {
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), soon);
  }

  const store: ObjectStore = {
    linkOrigin: target.origin,
    linkRegions: [],
    link: linkSigner(target, { credentials, region }),

    async put(key, body) {
      try {
        // Some servers lack conditional writes, Ceph for large objects. Besides, this may save uploading gigabytes.
        if (await store.stat(key)) throw new ObjectExists(key);
        const ifNew = address.conditionalWrites ? ({ IfNoneMatch: "*" } as const) : {};
        const sentBytes = await upload(client, { ...at(key), ...ifNew }, headersOf(key), body);
        const object = await store.stat(key);
        if (object?.sizeBytes !== sentBytes) {
          await store.remove(key);
          throw new Error(`only ${object?.sizeBytes} of ${sentBytes} bytes of object "${key}" arrived`);
        }
        return object;
      } catch (error) {
        const { name } = error as Error;
        if (name === "PreconditionFailed" || name === "ConditionalRequestConflict") throw new ObjectExists(key);
        throw error;
      } finally {
        if (body instanceof Readable) body.destroy();
      }
    },

    async stat(key) {
      const command = new HeadObjectCommand(at(key));
      try {
        const { ContentLength, LastModified } = await startedInTime((abortSignal) =>
          client.send(command, { abortSignal }),
        );
        return { key, sizeBytes: ContentLength ?? 0, modified: LastModified ?? new Date(0) };
      } catch (error) {
        if (isStatus(error, 404)) return undefined;
        throw unavailableUnlessRefused(error);
      }
    },

    async read(key, range) {
      const Range = range && `bytes=${range.first}-${range.last}`;
      const command = new GetObjectCommand({ ...at(key), ...(Range && { Range }) });
      try {
        const { Body } = await startedInTime((abortSignal) => client.send(command, { abortSignal }));
        return Body as Readable;
      } catch (error) {
        if ((error as Error).name === "NoSuchKey") throw new NoSuchObject(key);
        if (range && isStatus(error, 416)) throw new RangeNotInObject(key, range);
        throw unavailableUnlessRefused(error);
      }
    },

    async *list(prefix) {
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: base + prefix })) {
        for (const { Key = "", Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
          const key = Key.slice(base.length);
          if (isObjectKey(key)) yield { key, sizeBytes: Size, modified: LastModified };
        }
      }
    },

    async remove(key) {
      await client.send(new DeleteObjectCommand(at(key)), soon);
    },

    async sweepPartial(before) {
      let swept = 0;
      let page: ListMultipartUploadsCommandOutput | undefined;
      do {
        const from = { KeyMarker: page?.NextKeyMarker, UploadIdMarker: page?.NextUploadIdMarker };
        page = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: base, ...from }), soon);
        for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
          if (!Key || !UploadId || !Initiated || Initiated >= before) continue;
          await abort(Key, UploadId);
          swept += 1;
        }
      } while (page.IsTruncated);
      return swept;
    },
  };
  return store;
}

/** A presigned link overrides them, but a link to a CDN cannot. */
function headersOf(key: ObjectKey): UploadHeaders {
  const name = key.slice(key.lastIndexOf("/") + 1);
  const format = FORMATS.find((candidate) => name.endsWith(FILE_TYPES[candidate].extension)) ?? "mmdb";
  return {
    ContentType: FILE_TYPES[format].contentType,
    ...(isFileName(name) && { ContentDisposition: attachment(name) }),
  };
}

/** Aborts the request unless its response has started in time. The response's body may take longer. */
async function startedInTime<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), READ_TIMEOUT_MS);
  return send(controller.signal).finally(() => clearTimeout(timer));
}

/** A request that the storage refuses, because of wrong credentials for example, would be refused again. */
function unavailableUnlessRefused(error: unknown): unknown {
  const status = (error as S3ServiceException).$metadata?.httpStatusCode ?? 0;
  if (status >= 400 && status < 500 && status !== 429) return error;
  return new Unavailable(`object storage is unavailable: ${(error as Error).message}`, { cause: error });
}

/** Many servers send no message, for which the SDK says "UnknownError". */
function explainRefusal(error: S3ServiceException, address: S3Address): void {
  const status = error.$metadata?.httpStatusCode;
  const place = `${endpointOf(address)} (region ${address.region})`;
  if (error.name === "NoSuchBucket") {
    error.message = `there is no bucket "${address.bucket}" at ${place}: check the bucket, the region and the endpoint in DBDEPOT_OBJECTS_URL, or create the bucket`;
  } else if (status === 403) {
    error.message = `${place} refuses access to the bucket "${address.bucket}" (${error.name}): check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, what they may do, and the bucket in DBDEPOT_OBJECTS_URL`;
  } else if (error.message === "UnknownError") {
    error.message = `${place} returned ${status ?? "an error"} (${error.name}) for the bucket "${address.bucket}": check DBDEPOT_OBJECTS_URL`;
  }
}

function isStatus(error: unknown, status: number): boolean {
  return (error as S3ServiceException).$metadata?.httpStatusCode === status;
}
