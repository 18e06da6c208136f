import { type Command, note as helpNote } from "@dbdepot/terminal/command";
import { findingLines } from "@dbdepot/terminal/findings";
import type { Database } from "../api/wire.gen.ts";
import type { DbdepotClient } from "../client.ts";
import { settingOption } from "./config/options.ts";
import type { ReadSettings } from "./config/read-settings.ts";
import type { Settings } from "./config/settings.ts";
import type { CommandContext, Run } from "./context.ts";
import { checkDatabases, checkStorage, describeKey, lacksScope } from "./doctor/access.ts";
import { checkDisk } from "./doctor/disk.ts";
import { checkClock, checkConnection, checkName, checkProxy } from "./doctor/network.ts";
import { fail, note, ok, type Verdict } from "./doctor/verdict.ts";
import { EXIT } from "./exit-codes.ts";
import { adviceInDoctor, describe } from "./explanation.ts";
import { preferredFormat } from "./formats.ts";

type Diagnosis = Verdict & { name: string };

export function addDoctorCommand(program: Command, run: Run): void {
  program
    .command("doctor")
    .description("Check settings, network, key, storage and disk, and suggest fixes")
    .addOption(settingOption("directory"))
    .addHelpText(
      "after",
      helpNote("Requests a download link and one byte of the file, which adds a row to the download history."),
    )
    .action(
      run(async (context, { directory }) => {
        const diagnoses = await diagnose(context, context.read({ directory }));
        const isHealthy = diagnoses.every(({ verdict }) => verdict !== "FAIL");
        const lines = diagnoses.map(({ advice, detail, ...rest }) => ({
          ...rest,
          detail: advice === null ? detail : `${detail}. What to do: ${advice}`,
        }));
        return {
          json: {
            ok: isHealthy,
            findings: diagnoses.map(({ name, verdict, detail, advice }) => ({ check: name, verdict, detail, advice })),
          },
          text: findingLines(lines, context.output),
          exitCode: isHealthy ? EXIT.ok : EXIT.failed,
        };
      }),
    );
}

/** Checks in order of dependency: later checks need the earlier ones. */
async function diagnose(context: CommandContext, read: ReadSettings): Promise<Diagnosis[]> {
  const { env } = context;
  const { settings } = read;
  const found = [await check("settings", () => checkSettings(read))];
  if (settings.url !== undefined) {
    const url = new URL(settings.url);
    found.push(await check("proxy", () => checkProxy(url, env)));
    found.push(await check("name", () => checkName(url, env)));
    found.push(await check("connection", () => checkConnection(url, env)));
    if (found.at(-1)?.verdict !== "FAIL") {
      found.push(await check("clock", () => checkClock(url, env)));
      if (settings.key !== undefined) found.push(...(await diagnoseAccess(context, settings)));
    }
  }
  const neededBytes = await requiredSpace(context, settings, found);
  return [...found, await check("disk", () => checkDisk(settings.directory, neededBytes))];
}

async function diagnoseAccess(context: CommandContext, settings: Settings): Promise<Diagnosis[]> {
  const client = context.client(settings);
  let families: Database[] = [];
  const key = await check("key", async () => {
    const { stop: signal } = context.signals;
    // `list` refuses a valid key that lacks the scope. `identity` accepts it, so doctor can say what is missing.
    const identity = await client.identity({ signal }).catch(() => undefined);
    if (identity && !identity.scopes.includes("db.download")) return lacksScope(identity);
    families = await client.list({ signal });
    return describeKey(families, identity);
  });
  if (key.verdict === "FAIL") return [key];
  return [
    key,
    await check("databases", () => checkDatabases(settings, families)),
    await check("storage", () => checkStorage(client, settings, families, context.env)),
  ];
}

async function check(name: string, run: () => Verdict | Promise<Verdict>): Promise<Diagnosis> {
  try {
    return { name, ...(await run()) };
  } catch (error) {
    return { name, ...fail(describe(error), adviceInDoctor(error)) };
  }
}

function checkSettings({ problems, warnings, settings, configPath, found }: ReadSettings): Verdict {
  const missing = [
    ...(settings.url === undefined ? ["the service's URL (DBDEPOT_CLIENT_URL)"] : []),
    ...(settings.key === undefined ? ["the key (DBDEPOT_CLIENT_KEY or DBDEPOT_CLIENT_KEY_FILE)"] : []),
  ];
  const [first, ...others] = problems;
  if (first !== undefined) {
    return fail(
      first,
      others.length === 0 ? "fix it" : `fix this and ${others.length} more: "dbdepot config check" lists them`,
    );
  }
  if (missing.length > 0)
    return fail(`not set: ${missing.join(", ")}`, 'run "dbdepot login", set them, or start with "dbdepot config init"');
  if (warnings.length > 0) return note(warnings.join("; "));
  const key = `key ${settings.key} from ${found.get("key")?.source}`;
  return configPath === undefined ? note(`no config file; ${key}`) : ok(`${configPath}; ${key}`);
}

/** The size of all files to download, because old files are deleted only after that. Unknown sizes count as 0. */
async function requiredSpace(
  context: CommandContext,
  settings: Settings,
  found: readonly Diagnosis[],
): Promise<number> {
  const hasAccess = found.some(({ name, verdict }) => name === "key" && verdict !== "FAIL");
  if (!hasAccess) return 0;
  const client = context.client(settings);
  const sizes = await Promise.all(settings.databases.map((wanted) => sizeOf(client, wanted, settings)));
  return sizes.reduce((sum, sizeBytes) => sum + sizeBytes, 0);
}

async function sizeOf(
  client: DbdepotClient,
  { id, formats }: Settings["databases"][number],
  settings: Settings,
): Promise<number> {
  const result = await client.metadata(id).catch(() => undefined);
  if (!result?.changed) return 0;
  const { metadata } = result;
  const wanted = formats ?? settings.formats ?? [preferredFormat(metadata)];
  return wanted.reduce((sum, format) => sum + (metadata.size?.[format] ?? 0), 0);
}
