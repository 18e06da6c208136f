import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "@dbdepot/terminal/command";
import { findingLines } from "@dbdepot/terminal/findings";
import { probe, probeLink } from "../adapters/objects/probe.ts";
import { keyFiles } from "../domain/manifests/key-files.ts";
import { activeKey } from "../domain/manifests/sign.ts";
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

async function checkDataDirectory({ settings }: CommandContext): Promise<string> {
  await prepareDirectories(settings);
  const { dataDir } = settings;
  const secret = await stat(join(dataDir, "link-secret")).catch(() => undefined);
  if (secret && (secret.mode & 0o077) !== 0) {
    throw new Error(`${join(dataDir, "link-secret")} is readable by others: run chmod 600 on it`);
  }
  return `${dataDir} is writable`;
}

async function checkDatabase(context: CommandContext): Promise<string> {
  const store = await context.rawStore();
  const { engine } = context.settings.database;
  if (await store.isNew()) return `${engine} is reachable and empty; the schema will be created on first use`;
  const pending = await store.pendingMigrations();
  if (pending.length > 0) throw new Error(`the schema is missing ${pending.join(", ")}: run "dbdepot-server migrate"`);
  return `${engine} is reachable; the schema is up to date; revision ${await store.revision()}`;
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

/** Fetches a stored object through a link, as a customer does. */
async function checkLinks(context: CommandContext): Promise<string | Note> {
  const objects = await context.objects();
  const { linkOrigin } = objects;
  const response = await probeLink(objects, context.clock());
  if (typeof response === "string")
    return new Note(
      `${linkOrigin} is unreachable (${response}): fine if "serve" is not running, or if only customers can reach it`,
    );
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
  if (response.status !== 200 || !response.isIntact) {
    throw new Error(
      `a link to ${linkOrigin} did not deliver the stored object (status ${response.status}): set DBDEPOT_OBJECTS_PUBLIC_URL to the address of the storage, and let a proxy in front of it keep the Host header`,
    );
  }
  return `${linkOrigin} delivers a stored object, and its clock is in sync`;
}
