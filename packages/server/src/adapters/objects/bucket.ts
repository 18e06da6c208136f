import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  S3Client,
  type S3ClientConfig,
  type S3ServiceException,
} from "@aws-sdk/client-s3";
import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { type Bucket, BucketError, type OpenBucket } from "../../domain/destinations/bucket.ts";
import { objectKeyIn } from "../../domain/destinations/destination.ts";
import type { Secrets } from "../../domain/destinations/secrets.ts";
import { describeFailure, guardedLookup } from "../../domain/webhooks/connection.ts";
import { Fault, Unavailable } from "../../platform/primitives/faults.ts";
import { put, upload, WrongDigest } from "./s3-upload.ts";
import { endpointOf, usesPathStyle } from "./s3-url.ts";
import type { Credentials } from "./sigv4.ts";

const CONNECT_TIMEOUT_MS = 10_000;
/** The time for a request without a file, with the SDK's retries. */
const SMALL_TIMEOUT_MS = 30_000;
/** The time for one part of a file of 8 MiB. A bucket that takes longer is as good as broken. */
const PART_TIMEOUT_MS = 120_000;
/** No response to a request is longer. One that never ends must not fill the memory. */
const RESPONSE_MAX_BYTES = 1024 * 1024;
/** The part of a role's name that the customer's log shows. */
const SESSION_NAME = "dbdepot-delivery";
const SESSION_SECONDS = 3600;

export interface BucketOptions {
  /** CIDRs of private networks that may be called. */
  privateNetworks: readonly string[];
  secrets: Secrets;
  /** The vendor's own credentials, if it has any. */
  credentials: Credentials | undefined;
  /** The external id for the roles of an organization. */
  externalIdOf(organizationId: string): Promise<string | undefined>;
  timeouts?: { small: number; part: number };
}

/** Opens buckets that customers chose. Only allowed addresses are connected to, and redirects are not followed. */
export function bucketOpener({
  privateNetworks,
  secrets,
  credentials,
  externalIdOf,
  timeouts = { small: SMALL_TIMEOUT_MS, part: PART_TIMEOUT_MS },
}: BucketOptions): OpenBucket {
  return async (destination) => {
    const { place, access, encryption } = destination;
    const { region } = place;
    const address = { ...place, endpoint: place.endpoint ?? undefined, pathStyle: false, conditionalWrites: false };
    const explained = <T>(work: Promise<T>): Promise<T> =>
      work.catch((error) => {
        throw explain(error, timeouts);
      });
    const s3 = await explained(
      (async () => {
        const url = new URL(endpointOf(address));
        return new S3Client({
          ...clientOptions(url),
          region,
          ...(place.endpoint !== null && { endpoint: place.endpoint }),
          // A bucket whose name is the address of a host would escape the check of the endpoint's name, but not that of its address.
          forcePathStyle: usesPathStyle(address) || place.endpoint !== null,
          // Called again before the credentials of a role expire.
          credentials: credentialsFor,
          requestChecksumCalculation: "WHEN_REQUIRED",
          responseChecksumValidation: "WHEN_REQUIRED",
        });
      })(),
    );
    limitResponses(s3);
    const at = (path: string) => ({ Bucket: place.bucket, Key: objectKeyIn(place, path) });
    const soon = () => ({ abortSignal: AbortSignal.timeout(timeouts.small) });
    const common = {
      ...(encryption && { ServerSideEncryption: encryption }),
      // Otherwise objects belong to the vendor, and the owner of the bucket may not read them where ACLs are in use.
      ...(access.way === "vendor" && { ACL: "bucket-owner-full-control" as const }),
    };

    const bucket: Bucket = {
      read: (path, maxBytes) =>
        explained(
          (async () => {
            try {
              const { Body } = await s3.send(new GetObjectCommand(at(path)), soon());
              const body = Buffer.from((await Body?.transformToByteArray()) ?? []);
              return body.length > maxBytes ? undefined : body;
            } catch (error) {
              if (isMissing(error)) return undefined;
              throw error;
            }
          })(),
        ),
      write: (path, body, contentType) => {
        const target = { ...at(path), ...common, ContentType: contentType };
        const { abortSignal } = soon();
        return explained(put(s3, target, Buffer.from(body), { isChecked: true, signal: () => abortSignal }));
      },
      async upload({ path, sizeBytes, sha256 }, body, signal) {
        const headers = { ...common, Metadata: { sha256 } };
        const limited = () => AbortSignal.any([signal, AbortSignal.timeout(timeouts.part)]);
        let ownFailure: unknown;
        const source = async function* () {
          try {
            yield* body;
          } catch (error) {
            ownFailure = error;
            throw error;
          }
        };
        try {
          const sent = await upload(s3, at(path), headers, source(), { isChecked: true, signal: limited });
          if (sent !== sizeBytes) throw new Unavailable(`only ${sent} of ${sizeBytes} bytes could be read`);
        } catch (error) {
          if (signal.aborted && signal.reason instanceof BucketError) throw signal.reason;
          if (signal.aborted || error === ownFailure || error instanceof Unavailable) throw error;
          throw explain(error, timeouts);
        }
      },
      async check({ path, sizeBytes, sha256 }) {
        const found = await explained(
          s3.send(new HeadObjectCommand(at(path)), soon()).catch((error) => {
            if (isStatus(error, 404)) return undefined;
            throw error;
          }),
        );
        if (found && found.ContentLength === sizeBytes && found.Metadata?.sha256 === sha256) return;
        const what = found ? "is not what was written" : "is missing";
        throw new BucketError("integrity", `${path} ${what}: does something else write to this prefix?`);
      },
      remove: (path) => explained(s3.send(new DeleteObjectCommand(at(path)), soon()).then(() => undefined)),
      close: () => s3.destroy(),
    };
    return bucket;

    async function credentialsFor(): Promise<Credentials & { expiration?: Date }> {
      if (access.way === "keys") {
        const secretAccessKey = await secrets.open(access.sealedSecret, destination.id);
        return { accessKeyId: access.accessKeyId, secretAccessKey };
      }
      if (!credentials) {
        throw new BucketError("credentials", "the vendor has no identity any more: use an access key instead");
      }
      return access.way === "vendor" ? { ...credentials } : assume(access.roleArn, credentials);
    }

    async function assume(RoleArn: string, own: Credentials): Promise<Credentials & { expiration: Date }> {
      const { organizationId, id } = destination;
      const url = new URL(place.endpoint ?? `https://sts.${region}.amazonaws.com`);
      const sts = new STSClient({
        ...clientOptions(url),
        region,
        ...(place.endpoint !== null && { endpoint: place.endpoint }),
        credentials: { ...own },
      });
      limitResponses(sts);
      try {
        const { Credentials: found } = await sts.send(
          new AssumeRoleCommand({
            RoleArn,
            RoleSessionName: `${SESSION_NAME}-${id.slice(-12)}`,
            ExternalId: await externalIdOf(organizationId),
            DurationSeconds: SESSION_SECONDS,
          }),
          soon(),
        );
        const { AccessKeyId = "", SecretAccessKey = "", SessionToken = "", Expiration } = found ?? {};
        return {
          accessKeyId: AccessKeyId,
          secretAccessKey: SecretAccessKey,
          sessionToken: SessionToken,
          expiration: Expiration ?? new Date(Date.now() + SESSION_SECONDS * 1000),
        };
      } catch (error) {
        const { name, $metadata } = error as S3ServiceException;
        // AWS denies access to a role that does not exist, but Ceph says so.
        if ([403, 404].includes($metadata?.httpStatusCode ?? 0) && !isClockName(name)) {
          throw new BucketError(
            "role",
            "the role could not be assumed: check its ARN, the principal and the external id in its trust policy",
          );
        }
        throw error;
      } finally {
        sts.destroy();
      }
    }
  };

  function clientOptions(url: URL): Pick<S3ClientConfig, "requestHandler" | "maxAttempts"> {
    const lookup = guardedLookup(url, privateNetworks);
    const agent = { keepAlive: true, maxSockets: 8, lookup };
    return {
      maxAttempts: 2,
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        httpAgent: new http.Agent(agent),
        httpsAgent: new https.Agent(agent),
      },
    };
  }
}

/** Fails if a response is too long, before it fills the memory. */
function limitResponses(client: { middlewareStack: unknown }): void {
  (client.middlewareStack as S3Client["middlewareStack"]).add(
    ((next: (args: unknown) => Promise<{ response: { body?: unknown } }>) => async (args: unknown) => {
      const result = await next(args);
      const { response } = result;
      if (response.body instanceof Readable) response.body = Readable.from(limited(response.body));
      return result;
    }) as never,
    { step: "deserialize", priority: "low", name: "limitResponses" },
  );
}

async function* limited(body: Readable): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > RESPONSE_MAX_BYTES) throw new BucketError("response", "the response is longer than any of S3");
    yield chunk;
  }
}

/** Codes of S3 and of storages that are compatible with it. */
const CODES: Record<string, BucketError["problem"]> = {
  NoSuchBucket: "bucket",
  InvalidBucketName: "bucket",
  PermanentRedirect: "region",
  TemporaryRedirect: "region",
  AuthorizationHeaderMalformed: "region",
  IllegalLocationConstraintException: "region",
  RequestTimeTooSkewed: "clock",
  RequestExpired: "clock",
  InvalidAccessKeyId: "credentials",
  SignatureDoesNotMatch: "credentials",
  InvalidToken: "credentials",
  ExpiredToken: "credentials",
  AccessDenied: "permission",
  Forbidden: "permission",
  QuotaExceeded: "space",
  EntityTooLarge: "space",
  StorageFull: "space",
  BadDigest: "integrity",
  InvalidDigest: "integrity",
  XAmzContentSHA256Mismatch: "integrity",
  ServerSideEncryptionConfigurationNotFoundError: "encryption",
  InvalidEncryptionAlgorithmError: "encryption",
};

const WORDS: Partial<Record<BucketError["problem"], string>> = {
  bucket: "there is no such bucket: check its name, the region and the endpoint",
  region: "the bucket is in another region: enter that one",
  clock: "the clocks of the vendor and the storage differ too much",
  credentials: "the storage does not accept the access key: check its id and secret",
  permission:
    "access was denied: compare the policy of the bucket, role or key with the one in the documentation, and check whether it demands encryption",
  encryption: "the encryption was refused: check the bucket's default, the chosen encryption and the policy of its key",
  space: "the storage is full, or a quota is used up",
  integrity: "the storage received other bytes than were sent",
};

function explain(error: unknown, timeouts: { small: number; part: number }): unknown {
  if (error instanceof BucketError || error instanceof Unavailable || error instanceof Fault) return error;
  if (error instanceof WrongDigest) return new BucketError("integrity", `${WORDS.integrity}: ${error.message}`);
  const { name = "", message = "", $metadata, code } = error as S3ServiceException & { code?: string };
  const status = $metadata?.httpStatusCode;
  if (status === undefined || code !== undefined) {
    const cause = (error as Error).cause ?? error;
    const isTimeout = name === "AbortError" || name === "TimeoutError";
    const failure = isTimeout ? `no response within ${timeouts.small / 1000} s` : describeFailure(cause, timeouts.part);
    return new BucketError(failure.includes("the host was not found") ? "address" : "connection", failure);
  }
  const isEncryption = /^KMS\.|KMSInvalid|Kms/.test(name) || (status < 500 && /\bkms:|encrypt/i.test(message));
  const problem = isEncryption ? "encryption" : (CODES[name] ?? problemOf(status));
  const words = WORDS[problem];
  // A name comes from the storage, so it may be anything.
  const shown = /^[A-Za-z.]{1,60}$/.test(name) ? `${status} ${name}` : String(status);
  return new BucketError(problem, words ? `${words} (${shown})` : `the storage responded with ${shown}`);
}

function problemOf(status: number): BucketError["problem"] {
  if (status === 301 || status === 307) return "region";
  if (status === 403) return "permission";
  return status === 507 ? "space" : "response";
}

function isClockName(name: string): boolean {
  return CODES[name] === "clock";
}

/** Without the permission to list the bucket, storages say 403 instead of 404. */
function isMissing(error: unknown): boolean {
  return (error as Error).name === "NoSuchKey";
}

function isStatus(error: unknown, status: number): boolean {
  return (error as S3ServiceException).$metadata?.httpStatusCode === status;
}
