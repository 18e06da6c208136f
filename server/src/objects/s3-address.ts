import { isIP } from "node:net";
import type { LinkTarget } from "./links.ts";
import type { S3Address } from "./s3-url.ts";

/**
 * Where a bucket's objects are to be fetched, by the rules that the AWS SDK follows for the same settings.
 * `endpoint` may be another one than the address's: the storage as customers reach it.
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

/** Asked for, or the only way: not every bucket can be part of a host name, and an IP address cannot be added to. */
export function usesPathStyle(address: S3Address, endpoint = endpointOf(address)): boolean {
  const { protocol, hostname } = new URL(endpoint);
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith("[");
  return address.pathStyle || isAddress || !isHostName(address.bucket, protocol);
}

function endpointOf({ endpoint, region }: S3Address): string {
  return endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

/** A certificate for *.s3.example.com covers one label more: under https a bucket with a dot cannot be part of the host. */
function isHostName(bucket: string, protocol: string): boolean {
  const labels = protocol === "http:" ? bucket.split(".") : [bucket];
  return labels.every((label) => /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(label));
}
