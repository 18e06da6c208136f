import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "@dbdepot/terminal/command";
import { findingLines } from "@dbdepot/terminal/findings";
import { formatBytes, formatDay, formatTime } from "@dbdepot/terminal/format";
import { probe, probeLink } from "../adapters/objects/probe.ts";
import { activeFreshnessKey } from "../domain/manifests/freshness.ts";
import { keyFiles } from "../domain/manifests/key-files.ts";
import { activeKey } from "../domain/manifests/sign.ts";
import { DAY_MS, MINUTE_MS } from "../platform/primitives/dates.ts";
import { diskSpace, probeDirectory } from "../platform/primitives/disk-space.ts";
import { prepareDirectories } from "../settings/requirements.ts";
import type { CommandContext, Run } from "./context.ts";

interface Finding {
  check: string;
  /** False only if the check failed. */
  ok: boolean;
  verdict: "ok" | "note" | "failed";
  detail: string;
}

/** A note about something that may be intended, but that the operator should know. */
class Note {
  readonly detail: string;

  constructor(detail: string) {
    this.detail = detail;
  }
}

/** With a larger skew links are refused as not yet valid, or expire early. */
const CLOCK_SKEW_MAX_SECONDS = 60;
/** A healthy server renews a statement within a minute or two of its renewal time. */
const FRESHNESS_OVERDUE_MS = 10 * MINUTE_MS;
const OVERDUE_SHOWN = 5;
const ENDORSEMENT_ENDS_SOON_MS = 30 * DAY_MS;

export function addDoctorCommand(program: Command, run: Run): void {
  program
    .command("doctor")
    .description("Check the settings, the database and the object store, and suggest fixes")
    .action(
      run(async (context) => {
        const findings = [
          await check("data directory", () => checkDataDirectory(context)),
          await check("database", () => checkDatabase(context)),
          await check("storage", () => checkObjectStore(context)),
          await check("links", () => checkLinks(context)),
          await check("signing key", () => checkSigningKey(context)),
          await check("freshness", () => checkFreshness(context)),
          await check("sending", () => checkSending(context)),
        ];
        const isHealthy = findings.every(({ ok }) => ok);
        return {
          json: { ok: isHealthy, findings },
          text: findingLines(
            findings.map(({ check, verdict, detail }) => ({
              name: check,
              verdict: verdict === "failed" ? "FAIL" : verdict,
              detail,
            })),
            context.output,
          ),
          exitCode: isHealthy ? 0 : 1,
        };
      }),
    );
}

async function check(name: string, inspect: () => Promise<string | Note>): Promise<Finding> {
  try {
    const found = await inspect();
    if (found instanceof Note) return { check: name, ok: true, verdict: "note", detail: found.detail };
    return { check: name, ok: true, verdict: "ok", detail: found };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { check: name, ok: false, verdict: "failed", detail: message || code || String(error) };
  }
}

/** Says what failed. A full disk makes every download fail, so the advice comes with it. */
async function attempt(failure: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException;
    const advice = code === "ENOSPC" || message.includes("disk is full") ? ": free some space" : "";
    throw new Error(`${failure} (${message})${advice}`, { cause });
  }
}

async function checkDataDirectory({ settings }: CommandContext): Promise<string> {
  await prepareDirectories(settings);
  const { dataDir } = settings;
  await attempt(`no file can be stored in ${dataDir}`, () => probeDirectory(dataDir));
  const secret = await stat(join(dataDir, "link-secret")).catch(() => undefined);
  if (secret && (secret.mode & 0o077) !== 0) {
    throw new Error(`${join(dataDir, "link-secret")} is readable by others: run chmod 600 on it`);
  }
  const { freeBytes = 0 } = (await diskSpace({ data: dataDir })).get("data") ?? {};
  return `${dataDir} is writable, ${formatBytes(freeBytes)} are free`;
}

async function checkDatabase(context: CommandContext): Promise<string> {
  const store = await context.rawStore();
  const { engine } = context.settings.database;
  if (await store.isNew()) return `${engine} is reachable and empty; the schema will be created on first use`;
  const pending = await store.pendingMigrations();
  if (pending.length > 0) throw new Error(`the schema is missing ${pending.join(", ")}: run "dbdepot-server migrate"`);
  await attempt("download attempts cannot be stored", () => store.attempts.probe());
  const newer = await store.newerMigrations();
  const schema =
    newer.length > 0
      ? `a newer version has applied ${newer.join(", ")}, and this one can still run`
      : "the schema is up to date";
  return `${engine} is reachable and writable; ${schema}; revision ${await store.revision()}`;
}

async function checkObjectStore(context: CommandContext): Promise<string> {
  await probe(await context.objects());
  return `${context.settings.objects.store}: wrote, read, listed and deleted an object`;
}

/** A missing key is not a failure, because only machines that publish need it. */
async function checkSigningKey(context: CommandContext): Promise<string | Note> {
  const store = await context.rawStore();
  if ((await store.pendingMigrations()).length > 0)
    return new Note("not checked, because the schema is not up to date");
  const active = activeKey(await store.signingKeys.list());
  if (!active) return "none: builds are not signed";
  try {
    await keyFiles(context.settings.signingKeysDir).read(active.keyId);
    return `${active.keyId} can be read`;
  } catch (error) {
    return new Note(`${(error as Error).message}: fine if you publish, roll back and withdraw builds elsewhere`);
  }
}

/** A missing key is not a failure if the statements are renewed, because then another server has it. */
async function checkFreshness(context: CommandContext): Promise<string | Note> {
  const store = await context.rawStore();
  if ((await store.pendingMigrations()).length > 0)
    return new Note("not checked, because the schema is not up to date");
  const active = activeFreshnessKey(await store.freshnessKeys.list());
  if (!active) return "no freshness key: no statements of freshness are issued";
  const { keyId, expires } = active;
  const now = context.clock();
  if (expires <= now) {
    throw new Error(
      `the endorsement of key ${keyId} ended on ${formatDay(expires)}, so customers accept no statements: run "dbdepot-server signing-keys rotate --freshness"`,
    );
  }
  const ends = `its endorsement ends on ${formatDay(expires)}`;
  const overdue = await store.freshness.due({
    keyId,
    now: new Date(now.getTime() - FRESHNESS_OVERDUE_MS),
    limit: OVERDUE_SHOWN,
  });
  if (overdue.length > 0) {
    const names = overdue.map(({ versionId }) => versionId).join(", ");
    throw new Error(
      `the statements of ${names} are overdue: "dbdepot-server jobs list" shows why renew_freshness fails; it runs while "serve" is running`,
    );
  }
  if (expires.getTime() - now.getTime() < ENDORSEMENT_ENDS_SOON_MS) {
    return new Note(
      `all statements are current, but ${ends}: run "dbdepot-server signing-keys rotate --freshness" before that`,
    );
  }
  try {
    await keyFiles(context.settings.freshnessKeysDir, "freshness").read(keyId);
    return `${keyId} can be read, all statements are current, and ${ends}`;
  } catch (error) {
    return new Note(`${(error as Error).message}: fine if other servers renew the statements, which are current`);
  }
}

/** A copy for a test must be quiet, but someone who has recovered a server may have forgotten to activate it. */
async function checkSending(context: CommandContext): Promise<string | Note> {
  const store = await context.rawStore();
  if ((await store.pendingMigrations()).length > 0)
    return new Note("not checked, because the schema is not up to date");
  const copied = await store.copies.copied();
  if (!copied) return "webhooks and e-mail are sent";
  return new Note(
    `this is a copy from ${formatTime(copied)}: it sends no webhooks or e-mail. If the original is gone, run "dbdepot-server activate"`,
  );
}

/** Fetches a stored object through a link to each origin, as a customer does. */
async function checkLinks(context: CommandContext): Promise<string | Note> {
  const { linkRegions } = await context.objects();
  const found = [];
  for (const region of linkRegions.length > 0 ? linkRegions : [undefined]) {
    found.push(await checkLink(context, region));
  }
  const detail = found.map((each) => (each instanceof Note ? each.detail : each)).join("; ");
  return found.some((each) => each instanceof Note) ? new Note(detail) : detail;
}

async function checkLink(context: CommandContext, region: string | undefined): Promise<string | Note> {
  const { origin: linkOrigin, response, forged } = await probeLink(await context.objects(), context.clock(), region);
  if (typeof response === "string")
    return new Note(
      `${linkOrigin} is unreachable (${response}): fine if "serve" is not running, or if only customers can reach it`,
    );
  if (typeof forged !== "string" && forged.isIntact) {
    throw new Error(
      `${linkOrigin} delivers objects to links with a wrong signature, so anybody can download them: configure it to check the links`,
    );
  }
  const skewSeconds = Math.abs(context.clock().getTime() - response.serverTime.getTime()) / 1000;
  if (skewSeconds > CLOCK_SKEW_MAX_SECONDS) {
    throw new Error(
      `the clock of ${linkOrigin} differs from this machine's by ${Math.round(skewSeconds)} s: links will fail`,
    );
  }
  if (context.settings.sendfile && response.status === 200 && !response.isIntact) {
    throw new Error(
      `a link to ${linkOrigin} did not deliver the stored object: set DBDEPOT_SENDFILE=off, or let the proxy there send files`,
    );
  }
  if (region !== undefined && (response.status !== 200 || !response.isIntact)) {
    throw new Error(
      `a link to ${linkOrigin} did not deliver the stored object (status ${response.status}): check that it has the key of DBDEPOT_LINK_KEY_FILE, and that its origin is the object storage`,
    );
  }
  if (response.status !== 200 || !response.isIntact) {
    throw new Error(
      `a link to ${linkOrigin} did not deliver the stored object (status ${response.status}): set DBDEPOT_OBJECTS_PUBLIC_URL to the address of the storage, and let a proxy in front of it keep the Host header`,
    );
  }
  return `${linkOrigin} delivers a stored object, refuses a forged link, and its clock is in sync`;
}
