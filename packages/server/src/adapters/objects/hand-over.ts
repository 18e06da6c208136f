import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import proxyAddr from "@fastify/proxy-addr";
import type { HandOver } from "../../domain/builds/object-store.ts";
import { requireObjectKey } from "./object-key.ts";
import { encodePath } from "./sigv4.ts";

/** The header that names the file, and the start of its value. */
export type Sendfile = { header: "x-accel-redirect"; prefix: string } | { header: "x-sendfile"; folder: string };

/**
 * Only a trusted proxy gets the header; any other client would receive an empty file. X-Forwarded-For tells the proxy from
 * other programs on its machine. The header's value comes from the object key and the settings alone, never from the
 * request.
 */
export function createHandOver(sendfile: Sendfile, trustedProxies: string[]): HandOver {
  const isTrusted = proxyAddr.compile(trustedProxies);
  return ({ method, headers, socket }, key, isPart) => {
    const peer = socket.remoteAddress;
    if (method !== "GET" || peer === undefined || !isTrusted(peer, 0)) return undefined;
    if (headers["x-forwarded-for"] === undefined) return undefined;
    if (!wouldProxyAgree(headers, isPart)) return undefined;
    const object = requireObjectKey(key);
    if (sendfile.header === "x-accel-redirect") return { [sendfile.header]: encodePath(sendfile.prefix + object) };
    const path = join(sendfile.folder, object);
    // Apache ignores Range, and does not decode the path.
    if (isPart || encodePath(path) !== path) return undefined;
    return { [sendfile.header]: path, "accept-ranges": "bytes" };
  };
}

/**
 * The proxy evaluates the request's headers again. It compares If-Match and If-Unmodified-Since with its own tag and time of
 * the file, and rejects malformed ranges that we ignore.
 */
function wouldProxyAgree(headers: IncomingHttpHeaders, isPart: boolean): boolean {
  if (headers["if-match"] !== undefined || headers["if-unmodified-since"] !== undefined) return false;
  if (headers.range === undefined) return true;
  return isPart && /^bytes=(\d{1,15}-\d{0,15}|-\d{1,15})$/.test(headers.range);
}
