import { access, constants, stat } from "node:fs/promises";
import { join } from "node:path";
import { probe } from "../objects/probe.ts";
import { command, type Workplace } from "./command.ts";

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
}

/** More than this, and links are refused as not yet valid, or lapse early. */
const CLOCK_SKEW_MAX_SECONDS = 60;

export const doctorCommands = [
  command({
    words: "doctor",
    summary: "Check the settings, the database and the storage, and say what to do.",
    arguments: [],
    options: {},
    async run(workplace) {
      const findings = [
        await check("data folder", () => checkDataFolder(workplace)),
        await check("database", () => checkDatabase(workplace)),
        await check("storage", () => checkStorage(workplace)),
        await check("links", async () => checkLinks(workplace)),
      ];
      const isWell = findings.every(({ ok }) => ok);
      return {
        json: { ok: isWell, findings },
        text: findings.map(({ check, ok, detail }) => `${ok ? "ok  " : "FAIL"}  ${check}: ${detail}\n`).join(""),
        exitCode: isWell ? 0 : 1,
      };
    },
  }),
];

async function check(name: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check: name, ok: true, detail: await look() };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { check: name, ok: false, detail: message || code || String(error) };
  }
}

async function checkDataFolder({ settings }: Workplace): Promise<string> {
  const folder = settings.dataDir;
  const found = await stat(folder).catch(() => undefined);
  if (!found) return `${folder} does not exist yet; it is made when first needed`;
  await access(folder, constants.W_OK | constants.X_OK).catch(() => {
    throw new Error(`${folder} cannot be written to: give its owner the right, or set DBDEPOT_DATA_DIR`);
  });
  const secret = await stat(join(folder, "link-secret")).catch(() => undefined);
  if (secret && (secret.mode & 0o077) !== 0) {
    throw new Error(`${join(folder, "link-secret")} can be read by others: chmod 600 it`);
  }
  return `${folder} can be written to`;
}

async function checkDatabase(workplace: Workplace): Promise<string> {
  const store = await workplace.rawStore();
  const { engine } = workplace.settings.database;
  if (await store.isNew()) return `${engine} answers; it is empty, and set up when first used`;
  const pending = await store.pendingMigrations();
  if (pending.length > 0) throw new Error(`the schema lacks ${pending.join(", ")}: run "dbdepot-server migrate"`);
  return `${engine} answers; the schema is up to date; ${await store.revision()} changes so far`;
}

async function checkStorage(workplace: Workplace): Promise<string> {
  await probe(await workplace.objects());
  return `${workplace.settings.objects.store}: wrote, read, listed and removed an object`;
}

/** S3 answers a lapsed or unsigned request with its own time; so does the gateway when it runs. */
async function checkLinks(workplace: Workplace): Promise<string> {
  const { linkOrigin } = await workplace.objects();
  const response = await fetch(linkOrigin, { method: "HEAD", redirect: "manual" }).catch(() => undefined);
  if (!response) return `${linkOrigin} does not answer: fine if "serve" is not running, or only customers reach it`;
  const date = Date.parse(response.headers.get("date") ?? "");
  const skewSeconds = Math.abs(workplace.clock().getTime() - date) / 1000;
  if (skewSeconds > CLOCK_SKEW_MAX_SECONDS) {
    throw new Error(`the clock of ${linkOrigin} is ${Math.round(skewSeconds)} s off from ours: links will fail`);
  }
  return `${linkOrigin} answers, and its clock agrees with ours`;
}
