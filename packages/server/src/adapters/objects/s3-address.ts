import { isIP } from "node:net";
import type { LinkTarget } from "./links.ts";
import type { S3Address } from "./s3-url.ts";

/**
 * Where to fetch a bucket's objects, by the rules of the AWS SDK. `endpoint` may differ from the one in the address if
 * customers reach the storage under another name.
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

/** Requested, or required because the endpoint is an IP address or the bucket cannot be part of a host name. */
export function usesPathStyle(address: S3Address, endpoint = endpointOf(address)): boolean {
  const { protocol, hostname } = new URL(endpoint);
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith("[");
  return address.pathStyle || isAddress || !isHostName(address.bucket, protocol);
}

/** Where we reach the storage. */
export function endpointOf({ endpoint, region }: S3Address): string {
  return endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

/** A certificate for *.s3.example.com covers a single label, so with https the bucket must not contain a dot. */
function isHostName(bucket: string, protocol: string): boolean {
  const labels = protocol === "http:" ? bucket.split(".") : [bucket];
  return labels.every((label) => /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(label));
}
