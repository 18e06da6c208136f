import { isIP } from "node:net";
import type { LinkTarget } from "./links.ts";
import { isObjectKey } from "./object-key.ts";

/** The address of an S3 store, from `s3://bucket/prefix?region=…&endpoint=…&pathStyle=true`. */
export interface S3Address {
  bucket: string;
  /** Prepended to every key; without a "/" at either end, or empty. */
  prefix: string;
  region: string;
  /** AWS if undefined. */
  endpoint: string | undefined;
  /** The bucket is part of the path instead of the host name. */
  pathStyle: boolean;
  /**
   * Turn it off for servers that reject `If-None-Match` on a write. Only a check beforehand then prevents overwriting.
   */
  conditionalWrites: boolean;
}

const PARAMETERS = ["region", "endpoint", "pathStyle", "conditionalWrites"];
const DEFAULT_REGION = "us-east-1";

/** The error lists every problem, in one line. */
export function parseS3Url(text: string): S3Address {
  if (!/^s3:\/\//i.test(text) || !URL.canParse(text))
    throw new Error("must be like s3://bucket/prefix?region=eu-west-1");
  const url = new URL(text);
  const given = url.searchParams;
  const prefix = decodePrefix(url.pathname);
  const region = given.get("region") ?? (given.has("endpoint") ? DEFAULT_REGION : "");
  const faults: string[] = [];

  if (url.username || url.password)
    faults.push("put the credentials into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead");
  if (url.host === "") faults.push("the bucket is missing");
  else if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(url.host))
    faults.push(`"${url.host}" is not a valid bucket name`);
  if (prefix === undefined) faults.push(`"${url.pathname}" is not a valid prefix`);
  if (!/^[a-z0-9-]+$/.test(region)) faults.push(region ? `"${region}" is not a region` : "region is missing");
  if (given.has("endpoint") && !isEndpoint(given.get("endpoint") ?? "")) {
    faults.push("endpoint must be like https://s3.example.com");
  }
  for (const flag of ["pathStyle", "conditionalWrites"]) {
    if (given.has(flag) && !/^(true|false)$/.test(given.get(flag) ?? "")) faults.push(`${flag} must be true or false`);
  }
  for (const name of new Set(given.keys())) {
    if (!PARAMETERS.includes(name)) faults.push(`unknown parameter "${name}" (known: ${PARAMETERS.join(", ")})`);
    else if (given.getAll(name).length > 1) faults.push(`${name} appears twice`);
  }
  if (url.hash) faults.push("# must be written as %23");

  if (faults.length > 0 || prefix === undefined) throw new Error(faults.join("; "));
  return {
    bucket: url.host,
    prefix,
    region,
    endpoint: given.get("endpoint")?.replace(/\/+$/, ""),
    pathStyle: given.get("pathStyle") === "true",
    conditionalWrites: given.get("conditionalWrites") !== "false",
  };
}

function decodePrefix(pathname: string): string | undefined {
  try {
    const prefix = decodeURIComponent(pathname).replace(/^\/|\/$/g, "");
    return prefix === "" || isObjectKey(prefix) ? prefix : undefined;
  } catch {
    return undefined;
  }
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
}

/**
 * Returns the URL of a bucket's objects, by the rules of the AWS SDK. `endpoint` may differ from the one in the address
 * if customers reach the storage under another name.
 */
export function linkTarget(address: S3Address, endpoint = endpointOf(address)): LinkTarget {
  const { protocol, host, pathname } = new URL(endpoint);
  const { bucket, prefix } = address;
  const start = `${pathname.replace(/\/+$/, "")}/`;
  const end = prefix === "" ? "" : `${prefix}/`;
  if (usesPathStyle(address, endpoint)) {
    return { origin: `${protocol}//${host}`, basePath: `${start}${bucket}/${end}` };
  }
  return { origin: `${protocol}//${bucket}.${host}`, basePath: `${start}${end}` };
}

/** Path style is used on request, and if the endpoint is an IP address or the bucket cannot be part of a host name. */
export function usesPathStyle(address: S3Address, endpoint = endpointOf(address)): boolean {
  const { protocol, hostname } = new URL(endpoint);
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith("[");
  return address.pathStyle || isAddress || !isHostName(address.bucket, protocol);
}

/** The endpoint under which we reach the storage ourselves. */
export function endpointOf({ endpoint, region }: S3Address): string {
  return endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

/** A certificate for *.s3.example.com covers a single label, so with https the bucket must not contain a dot. */
function isHostName(bucket: string, protocol: string): boolean {
  const labels = protocol === "http:" ? bucket.split(".") : [bucket];
  return labels.every((label) => /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(label));
}
