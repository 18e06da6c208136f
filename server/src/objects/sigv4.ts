import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";

// AWS Signature Version 4 in a query string, as S3 takes it:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
// Links are signed on every download. The AWS presigner makes 2,000 a second; this one is held against it byte for byte.

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface Authority {
  credentials: Credentials;
  region: string;
}

/** What is linked to, all but the time. */
export interface LinkRequest {
  method: "GET" | "HEAD";
  /** Encoded already, see encodePath. */
  path: string;
  contentDisposition: string;
  contentType: string;
}

/** Signs a link to one and the same thing, for a time. */
export type Presign = (signed: Date, expiresSeconds: number) => string;

const ALGORITHM = "AWS4-HMAC-SHA256";
const UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";
/** S3's own limits. */
const MAX_EXPIRES_SECONDS = 7 * 24 * 3600;
const MAX_CLOCK_SKEW_SECONDS = 15 * 60;

/** Prepares links to `origin`: half of the work is the same whenever one of them is signed. */
export function createPresigner(origin: string, authority: Authority): (request: LinkRequest) => Presign {
  const { host } = new URL(origin);
  const { accessKeyId, sessionToken } = authority.credentials;
  const sign = createSigner(authority);
  // Parameters stand in order of their names, as they are signed; so what comes before and after the signature is text.
  const start = `X-Amz-Algorithm=${ALGORITHM}&X-Amz-Content-Sha256=${UNSIGNED_PAYLOAD}&X-Amz-Credential=${encode(accessKeyId)}%2F`;
  const scope = encode(`/${authority.region}/s3/aws4_request`);
  const token = sessionToken ? `&X-Amz-Security-Token=${encode(sessionToken)}` : "";
  // The same for all links of a second.
  let [signedMs, expiresAfter, time, before] = [Number.NaN, 0, "", ""];
  function putDown(signed: Date, expiresSeconds: number): void {
    [signedMs, expiresAfter, time] = [signed.getTime(), expiresSeconds, toAmzTime(signed)];
    before = `${start}${time.slice(0, 8)}${scope}&X-Amz-Date=${time}&X-Amz-Expires=${expiresSeconds}${token}`;
  }

  return ({ method, path, contentDisposition, contentType }) => {
    const overrides = `response-content-disposition=${encode(contentDisposition)}&response-content-type=${encode(contentType)}`;
    // The AWS presigner names the operation in links for GET, and only there.
    const after = `X-Amz-SignedHeaders=host&${overrides}${method === "GET" ? "&x-id=GetObject" : ""}`;
    return (signed, expiresSeconds) => {
      if (signed.getTime() !== signedMs || expiresSeconds !== expiresAfter) putDown(signed, expiresSeconds);
      const signature = sign(time, canonicalRequest(method, path, `${before}&${after}`, host));
      return `${origin}${path}?${before}&X-Amz-Signature=${signature}&${after}`;
    };
  };
}

export interface SignedRequest {
  method: string;
  /** The path and query as they came. */
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

/** S3's code, and its words where they say more than the code does. */
export type Verdict =
  | { granted: true; path: string; parameters: ReadonlyMap<string, string> }
  | { granted: false; refusal: RefusalCode; message?: string };

/** Gives a function that judges whether a request was signed by `authority`, for now. */
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

    const fault = faultIn(parameters, authority.region);
    if (fault) return refuse("AuthorizationQueryParametersError", fault);
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

/** What is wrong with the parameters of the signature, leaving aside whether it is right. */
function faultIn(parameters: ReadonlyMap<string, string>, region: string): string | undefined {
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

/** Undefined when it cannot be decoded, or gives one parameter twice: which of the two counts would be a guess. */
function parseTarget(target: string): { path: string; parameters: Map<string, string> } | undefined {
  const [rawPath = "", ...rest] = target.split("?");
  const parameters = new Map<string, string>();
  try {
    for (const pair of rest.join("?").split("&")) {
      if (pair === "") continue;
      // Some clients write a space as "+"; a real plus is always %2B in what we sign.
      const [name = "", ...value] = pair.replaceAll("+", " ").split("=").map(decodeURIComponent);
      if (parameters.has(name)) return undefined;
      parameters.set(name, value.join("="));
    }
    return rawPath.startsWith("/") ? { path: decodeURIComponent(rawPath), parameters } : undefined;
  } catch {
    return undefined;
  }
}

function canonicalQuery(parameters: ReadonlyMap<string, string>): string {
  return [...parameters]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map((pair) => pair.join("="))
    .join("&");
}

function canonicalRequest(method: string, path: string, query: string, host: string): string {
  return `${method}\n${path}\n${query}\nhost:${host}\n\nhost\n${UNSIGNED_PAYLOAD}`;
}

/** The key of a day is derived in four steps and used for all of that day's signatures. */
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

/** Takes as long for a wrong first digit as for a wrong last one. */
function isSame(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** AWS's percent-encoding: everything but the unreserved characters of RFC 3986. */
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
