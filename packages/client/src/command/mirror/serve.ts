import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { type Result, UsageError } from "@dbdepot/terminal/command";
import { formatSeconds } from "@dbdepot/terminal/format";
import type { ServiceEvent } from "../../api/events.ts";
import type { DbdepotClient } from "../../client.ts";
import { DbdepotError } from "../../errors.ts";
import { readTokens } from "../../mirror/serve/access.ts";
import { type Certificate, MirrorServer } from "../../mirror/serve/mirror-server.ts";
import { VerifiedMirror } from "../../mirror/serve/verified-mirror.ts";
import { changedKey } from "../config/changed-key.ts";
import type { SettingFlags } from "../config/read-settings.ts";
import type { Settings } from "../config/settings.ts";
import type { CommandContext } from "../context.ts";
import { inOneLine } from "../explanation.ts";
import { followEvents } from "../sync/follow.ts";
import { retryWaitMs } from "../sync/round.ts";
import { trustPath } from "../sync/status.ts";
import { watch } from "../sync/watch.ts";

const DEFAULT_PORT = 8090;
/** How long transfers may take to finish after SIGTERM. */
const GRACE_MS = 10_000;
/** The vendor makes patches after a publish, so the round after a change comes soon. */
const PATCHES_MS = 60_000;
/** Many machines rely on this one, so it looks for the event stream more often than others. */
const EVENTS_RETRY_MS = 15_000;

/** Copies what has changed. `onMirrored` is called after each database. Throws if the catalogue cannot be read. */
export type MirrorRound = (
  client: DbdepotClient,
  onMirrored?: (id: string) => Promise<void>,
) => Promise<{ errors: unknown[]; result: Result }>;

interface Listening {
  address: string;
  tokens: string | undefined;
  isOpen: boolean;
  tlsCert: string | undefined;
  tlsKey: string | undefined;
}

export interface ServeOptions {
  directory: string;
  settings: Settings;
  flags: SettingFlags;
  round: MirrorRound;
  listening: Listening;
}

/** Serves a mirror and keeps it up to date until it is stopped. Begins with what is on disk. */
export async function serveMirror(
  context: CommandContext,
  { directory, settings, flags, round, listening }: ServeOptions,
): Promise<void> {
  const { output, signals } = context;
  const log = (message: string) => output.info(`${new Date().toISOString()} ${message}\n`);
  const trustFile = trustPath({ directory });
  let client = context.client(settings, { trustFile });
  const { host, port } = parseAddress(listening.address);
  const mirror = new VerifiedMirror({ directory, trust: settings.trust, trustFile, log });
  await mirror.loadAll();
  const server = new MirrorServer({ mirror, isOpen: listening.isOpen, log, ...(await readFiles(listening)) });
  server.http.listen(port, host);
  await once(server.http, "listening");
  const scheme = listening.tlsCert === undefined ? "http" : "https";
  log(`serving ${directory} at ${scheme}://${hostOf(server.http.address() as AddressInfo)}: ${ageOf(mirror)}`);
  signals.on("SIGHUP", () => {
    readFiles(listening)
      .then((files) => server.renew(files))
      .catch((error) => output.warn(`the tokens and the certificate stay as they were: ${inOneLine(error)}`));
  });

  /** Serves the new state of a database, and tells those who follow the mirror. */
  const reload = async (id: string) => {
    const before = mirror.database(id);
    const after = await mirror.load(id);
    if (after && after.manifest.sequence !== before?.manifest.sequence) {
      server.events.publish(after, before?.manifest.build_id ?? null);
      log(`${id}: serving manifest ${after.manifest.sequence}, build ${after.manifest.build_id ?? "withdrawn"}`);
      return true;
    }
    return false;
  };
  const runOnce = async () => {
    const key = changedKey(context, flags, settings.key);
    if (key) client = context.client(Object.assign(settings, { key }), { trustFile });
    let isChanged = false;
    try {
      const { errors, result } = await round(client, async (id) => {
        isChanged = (await reload(id)) || isChanged;
      });
      const temporary = errors.find((error) => retryWaitMs(error) !== undefined);
      server.vendor = { error: temporary === undefined ? null : inOneLine(temporary) };
      if (output.isJson) output.print(result);
      for (const error of errors) log(`failed: ${inOneLine(error)}`);
      await mirror.loadAll();
      const waits = errors.flatMap((error) => retryWaitMs(error) ?? []);
      if (waits.length > 0) return { retryAfterMs: Math.max(...waits) };
      return { retryAfterMs: isChanged && settings.deltas !== "never" ? PATCHES_MS : undefined };
    } catch (error) {
      if (signals.stop.aborted) return { retryAfterMs: undefined };
      server.vendor = { error: inOneLine(error) };
      log(`the service could not be asked: ${inOneLine(error)}; ${ageOf(mirror)}`);
      // A refused key may be replaced at any time, so the mirror keeps trying.
      return { retryAfterMs: retryWaitMs(error) ?? PATCHES_MS };
    }
  };
  try {
    await watch(runOnce, {
      intervalMs: settings.intervalMs,
      jitterMs: settings.jitterMs ?? 0,
      signals,
      follow: (wake) =>
        followEvents(wake, { client: () => client, isRelevant, signal: signals.stop, log, retryMs: EVENTS_RETRY_MS }),
    });
  } finally {
    await server.close(GRACE_MS);
  }
}

function isRelevant({ type }: ServiceEvent): boolean {
  return type === "reset" || type.startsWith("build.") || type.startsWith("licence.");
}

/** Says what is served, and how old it is. */
function ageOf({ databases, checked }: VerifiedMirror): string {
  if (databases.length === 0) return "nothing to serve yet";
  const count = databases.length === 1 ? "1 database" : `${databases.length} databases`;
  if (!checked) return count;
  const ageSeconds = Math.max(0, Math.round((Date.now() - checked.getTime()) / 1000));
  return `${count}, compared with the service ${formatSeconds(ageSeconds)} ago`;
}

/** HOST:PORT, :PORT or PORT. Without a host, it listens on all addresses. */
function parseAddress(text: string): { host: string | undefined; port: number } {
  const [, host = "", port = ""] = /^(?:(.*):)?(\d{1,5})$/.exec(text) ?? [];
  if (text !== "" && (port === "" || Number(port) > 65_535)) {
    throw new UsageError(`--serve: "${text}" is not HOST:PORT, such as 127.0.0.1:8090`);
  }
  return { host: host.replace(/^\[|\]$/g, "") || undefined, port: text === "" ? DEFAULT_PORT : Number(port) };
}

function hostOf({ address, family, port }: AddressInfo): string {
  return family === "IPv6" ? `[${address}]:${port}` : `${address}:${port}`;
}

async function readFiles({ tokens, tlsCert, tlsKey }: Listening) {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UsageError("--tls-cert and --tls-key belong together");
  }
  try {
    const certificate: Certificate | undefined =
      tlsCert !== undefined && tlsKey !== undefined
        ? { cert: await readFile(tlsCert), key: await readFile(tlsKey) }
        : undefined;
    return { tokens: tokens === undefined ? undefined : await readTokens(tokens), certificate };
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === undefined || path === undefined) throw error;
    throw new DbdepotError("bad_request", `${path} cannot be read (${code})`);
  }
}
