import { readFileSync } from "node:fs";
import type { Server } from "node:net";
import type { Logger } from "pino";

/** Reserved for the database, the log, the spool, uploads and everything else that is not a client connection. */
const RESERVED_DESCRIPTORS = 80;
/** A connection that transfers a file has a socket and the file. */
const DESCRIPTORS_PER_CONNECTION = 2;
const CONNECTIONS_MIN = 10;
const WARNING_INTERVAL_MS = 60_000;

/**
 * Limits the connections of all servers of this process, so that clients can never use up its file descriptors: without
 * a descriptor, the process could not even read its own database. Does nothing where the limit is unknown or unlimited.
 */
export function limitConnections(servers: readonly Server[], log: Logger): void {
  const openFiles = openFilesLimit();
  if (openFiles === undefined) return;
  const maxConnections = maxConnectionsFor(openFiles, servers.length);
  log.info({ open_files: openFiles, max_connections: maxConnections }, "connection limit per port");
  for (const server of servers) {
    server.maxConnections = maxConnections;
    let warnedMs = Number.NEGATIVE_INFINITY;
    server.on("drop", () => {
      if (performance.now() - warnedMs < WARNING_INTERVAL_MS) return;
      warnedMs = performance.now();
      log.warn({ max_connections: maxConnections }, "connection refused: raise the limit on open files (ulimit -n)");
    });
  }
}

/** Returns the number of connections for each server: an equal share of the limit on open files. */
export function maxConnectionsFor(openFiles: number, serverCount: number): number {
  const share = (openFiles - RESERVED_DESCRIPTORS) / DESCRIPTORS_PER_CONNECTION / serverCount;
  return Math.max(CONNECTIONS_MIN, Math.floor(share));
}

/**
 * The soft limit of this process, which Node raises to the hard limit when it starts. Undefined if it is unlimited or
 * unknown.
 */
function openFilesLimit(): number | undefined {
  let limits: string;
  try {
    limits = readFileSync("/proc/self/limits", "utf8");
  } catch {
    // Only Linux has this file.
    return undefined;
  }
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? undefined : Number(soft);
}
