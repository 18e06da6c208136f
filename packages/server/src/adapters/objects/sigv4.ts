import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";

// AWS Signature Version 4 in a query string, for S3:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
// Every download signs a link, and the AWS presigner is too slow for that. A test compares the two byte for byte.

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface Authority {
  credentials: Credentials;
  region: string;
}

export interface LinkRequest {
  method: "GET" | "HEAD";
  /** Already encoded, see encodePath. */
  path: string;
  contentDisposition: string;
  contentType: string;
  signed: Date;
  expiresSeconds: number;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";
/** The limits of S3. */
const MAX_EXPIRES_SECONDS = 7 * 24 * 3600;
const MAX_CLOCK_SKEW_SECONDS = 15 * 60;

/** Returns a function that signs links to `origin`. */
export function createPresigner(origin: string, authority: Authority): (request: LinkRequest) => string {
  const { host } = new URL(origin);
  const { accessKeyId, sessionToken } = authority.credentials;
  const sign = createSigner(authority);
  return ({ method, path, contentDisposition, contentType, signed, expiresSeconds }) => {
    const time = toAmzTime(signed);
    const parameters = new Map([
      ["X-Amz-Algorithm", ALGORITHM],
      ["X-Amz-Content-Sha256", UNSIGNED_PAYLOAD],
      ["X-Amz-Credential", `${accessKeyId}/${time.slice(0, 8)}/${authority.region}/s3/aws4_request`],
      ["X-Amz-Date", time],
      ["X-Amz-Expires", String(expiresSeconds)],
      ["X-Amz-SignedHeaders", "host"],
      ["response-content-disposition", contentDisposition],
      ["response-content-type", contentType],
    ]);
    if (sessionToken) parameters.set("X-Amz-Security-Token", sessionToken);
    // Follows the AWS presigner, which names the operation in links for GET only.
    if (method === "GET") parameters.set("x-id", "GetObject");
    const query = encodeQuery(parameters);
    const signature = sign(time, canonicalRequest(method, path, query, host));
    // Puts the signature where sorting the parameters would put it. Values are encoded, so this text occurs once.
    const signedQuery = query.replace("&X-Amz-SignedHeaders=", `&X-Amz-Signature=${signature}$&`);
    return `${origin}${path}?${signedQuery}`;
  };
}

export interface SignedRequest {
  method: string;
  /** The path and query as received. */
  target: string;
  host: string;
  hasAuthorizationHeader: boolean;
}

type RefusalCode =
  | "AccessDenied"
  | "AuthorizationQueryParametersError"
  | "InvalidAccessKeyId"
  | "InvalidArgument"
  | "InvalidURI"
  | "SignatureDoesNotMatch";

/** A refusal has the error code of S3 and, if it adds something, a message. */
export type Verdict =
  | { granted: true; path: string; parameters: ReadonlyMap<string, string> }
  | { granted: false; refusal: RefusalCode; message?: string };

/** Returns a function that checks whether a request was signed by `authority` and has not expired. */
export function createVerifier(authority: Authority): (request: SignedRequest, now: Date) => Verdict {
  const sign = createSigner(authority);
  return ({ method, target, host, hasAuthorizationHeader }, now) => {
    const parsed = parseTarget(target);
    if (!parsed) return refuse("InvalidURI");
    const { path, parameters } = parsed;
    const signature = parameters.get("X-Amz-Signature");
    if (hasAuthorizationHeader && (signature !== undefined || parameters.has("X-Amz-Algorithm"))) {
      return refuse("InvalidArgument", "Only one auth mechanism allowed");
    }
    if (signature === undefined) return refuse("AccessDenied");

    const problem = findProblem(parameters, authority.region);
    if (problem) return refuse("AuthorizationQueryParametersError", problem);
    const time = parameters.get("X-Amz-Date") ?? "";
    const accessKeyId = parameters.get("X-Amz-Credential")?.split("/").slice(0, -4).join("/");
    if (accessKeyId !== authority.credentials.accessKeyId) return refuse("InvalidAccessKeyId");
    const ageSeconds = (now.getTime() - fromAmzTime(time)) / 1000;
    if (ageSeconds < -MAX_CLOCK_SKEW_SECONDS) return refuse("AccessDenied", "Request is not valid yet");
    if (ageSeconds >= Number(parameters.get("X-Amz-Expires"))) return refuse("AccessDenied", "Request has expired");

    const expected = sign(time, canonicalRequest(method, encodePath(path), canonicalQuery(parameters), host));
    if (!isSame(expected, signature)) return refuse("SignatureDoesNotMatch");
    return { granted: true, path, parameters };
  };
}

function refuse(refusal: RefusalCode, message?: string): Verdict {
  return { granted: false, refusal, ...(message !== undefined && { message }) };
}

/** Checks the signature's parameters, but not the signature itself. */
function findProblem(parameters: ReadonlyMap<string, string>, region: string): string | undefined {
  const [signedRegion, service, end] = (parameters.get("X-Amz-Credential") ?? "").split("/").slice(-3);
  const day = parameters.get("X-Amz-Credential")?.split("/").at(-4);
  const time = parameters.get("X-Amz-Date") ?? "";
  const expires = parameters.get("X-Amz-Expires") ?? "";
  if (parameters.get("X-Amz-Algorithm") !== ALGORITHM) return `X-Amz-Algorithm must be ${ALGORITHM}`;
  if (Number.isNaN(fromAmzTime(time))) return "X-Amz-Date must be in the ISO8601 form yyyyMMddTHHmmssZ";
  if (service !== "s3" || end !== "aws4_request") return "X-Amz-Credential must end in s3/aws4_request";
  if (signedRegion !== region) return `X-Amz-Credential must name the region ${region}`;
  if (day !== time.slice(0, 8)) return "X-Amz-Credential must name the day of X-Amz-Date";
  if (!/^[1-9]\d{0,5}$/.test(expires) || Number(expires) > MAX_EXPIRES_SECONDS) {
    return `X-Amz-Expires must be from 1 to ${MAX_EXPIRES_SECONDS} seconds`;
  }
  return parameters.get("X-Amz-SignedHeaders") === "host" ? undefined : "X-Amz-SignedHeaders must be host";
}

/** Undefined if it cannot be decoded or has a parameter twice, because it would be unclear which of the two counts. */
function parseTarget(target: string): { path: string; parameters: Map<string, string> } | undefined {
  const [rawPath = "", ...rest] = target.split("?");
  const parameters = new Map<string, string>();
  try {
    for (const pair of rest.join("?").split("&")) {
      if (pair === "") continue;
      // Some clients write a space as "+". A plus sign in our links is always %2B.
      const [name = "", ...value] = pair.replaceAll("+", " ").split("=").map(decodeURIComponent);
      if (parameters.has(name)) return undefined;
      parameters.set(name, value.join("="));
    }
    return rawPath.startsWith("/") ? { path: decodeURIComponent(rawPath), parameters } : undefined;
  } catch {
    return undefined;
  }
}

/** All parameters that are signed. */
function canonicalQuery(parameters: ReadonlyMap<string, string>): string {
  return encodeQuery(new Map([...parameters].filter(([name]) => name !== "X-Amz-Signature")));
}

function encodeQuery(parameters: ReadonlyMap<string, string>): string {
  return [...parameters]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map((pair) => pair.join("="))
    .join("&");
}

function canonicalRequest(method: string, path: string, query: string, host: string): string {
  return `${method}\n${path}\n${query}\nhost:${host}\n\nhost\n${UNSIGNED_PAYLOAD}`;
}

/** The key is derived in four steps and is the same for all signatures of a day. */
function createSigner({ credentials, region }: Authority): (time: string, canonical: string) => string {
  let day = "";
  let dayKey: KeyObject;
  return (time, canonical) => {
    if (!time.startsWith(day) || day === "") {
      day = time.slice(0, 8);
      const steps = [day, region, "s3", "aws4_request"];
      const secret = Buffer.from(`AWS4${credentials.secretAccessKey}`);
      dayKey = createSecretKey(steps.reduce((key, step) => createHmac("sha256", key).update(step).digest(), secret));
    }
    const text = `${ALGORITHM}\n${time}\n${day}/${region}/s3/aws4_request\n${hash("sha256", canonical)}`;
    return createHmac("sha256", dayKey).update(text).digest("hex");
  };
}

/** Compares in constant time. */
function isSame(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Percent-encodes everything except the unreserved characters of RFC 3986, as AWS does. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

export function encodePath(path: string): string {
  return encode(path).replaceAll("%2F", "/");
}

function toAmzTime(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
}

function fromAmzTime(time: string): number {
  const iso = /^\d{8}T\d{6}Z$/.test(time) ? time.replace(/(....)(..)(..)T(..)(..)(..)Z/, "$1-$2-$3T$4:$5:$6Z") : "";
  return Date.parse(iso);
}
