import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { LEGACY_KEY_SORTS } from "@dbdepot/contract/operator/legacy-keys";
import { type Command, examples, note } from "@dbdepot/terminal/command";
import { formatDay } from "@dbdepot/terminal/format";
import { parseList } from "@dbdepot/terminal/values";
import { parseLegacyKeyFile } from "../domain/legacy-keys/legacy-key-file.ts";
import { createLegacyKey, importLegacyKeys, revokeLegacyKey } from "../domain/legacy-keys/legacy-keys.ts";
import { legacyKeyToWire } from "../domain/legacy-keys/wire.ts";
import { BadLines, inWords } from "../platform/primitives/bad-lines.ts";
import { invalid } from "../platform/primitives/faults.ts";
import type { Run } from "./context.ts";
import { SEARCH_OPTION, sortOption } from "./lists.ts";

export function addLegacyKeyCommands(program: Command, run: Run): void {
  const legacyKeys = program.command("legacy-keys").description("Manage the UUID keys of the v1 API");

  legacyKeys
    .command("create")
    .description("Create a v1 key and show its UUID once")
    .requiredOption("--name <name>", "what the key is for")
    .requiredOption("--ids <list>", "comma-separated database ids it may download", parseList)
    .option("--org <org>", "organization whose history lists its downloads (default: none)")
    .option("--uuid <uuid>", "existing key to import (default: a new one)")
    .addHelpText("after", examples("dbdepot-server legacy-keys create --name old-cron --ids vpn_ip_v1 --org Acme"))
    .action(
      run(async ({ output, operation }, { name, ids, org, uuid: existing }) => {
        const request = { name, databaseIds: ids, organization: org, uuid: existing };
        const { key, uuid } = await createLegacyKey(await operation(), request);
        const fields = { id: key.id, name: key.name, key: uuid, ids: key.databaseIds };
        return {
          json: { ...legacyKeyToWire(key), key: uuid },
          text: `${output.details(fields)}Store the key now: it is not shown again.\n`,
        };
      }),
    );

  legacyKeys
    .command("import")
    .description("Import v1 keys from a CSV with the columns uuid, name, ids and org: all of them or none")
    .argument("<file>", "CSV file")
    .addHelpText(
      "after",
      note(
        "The first line names the columns, in any order. ids are separated by spaces or semicolons. org may be empty or left out. Delete the file afterwards, because it contains the keys.",
      ),
    )
    .addHelpText("after", examples("dbdepot-server legacy-keys import v1_keys.csv"))
    .action(
      run(async ({ output, operation }, path) => {
        const lines = parseLegacyKeyFile(await readText(path));
        try {
          const keys = await importLegacyKeys(await operation(), lines);
          const text = `Imported ${keys.length === 1 ? "1 key" : `${keys.length} keys`}.\n`;
          return { json: { imported: keys.map(legacyKeyToWire), bad_lines: [] }, text };
        } catch (error) {
          if (!(error instanceof BadLines)) throw error;
          for (const line of error.lines) output.info(`${inWords(line)}\n`);
          output.info("Nothing was imported.\n");
          return { json: { imported: [], bad_lines: error.lines }, text: "", exitCode: 1 };
        }
      }),
    );

  legacyKeys
    .command("list")
    .description("List the v1 keys")
    .option(...SEARCH_OPTION)
    .addOption(sortOption(LEGACY_KEY_SORTS))
    .action(
      run(async ({ output, store: openStore }, request) => {
        const store = await openStore();
        const names = new Map((await store.organizations.list()).map(({ id, name }) => [id, name]));
        const { items: keys } = await store.legacyKeys.page({}, request);
        return {
          json: keys.map(legacyKeyToWire),
          text: output.table(
            ["ID", "NAME", "ORGANIZATION", "STATE", "DATABASES", "LAST USED"],
            keys.map((key) => [
              key.id,
              key.name,
              key.organizationId && names.get(key.organizationId),
              key.revoked ? "revoked" : "active",
              key.databaseIds,
              key.lastUsed ? formatDay(key.lastUsed) : "never",
            ]),
            request.search ? "No v1 key matches." : "No v1 keys yet.",
          ),
        };
      }),
    );

  legacyKeys
    .command("revoke")
    .description("Revoke a v1 key permanently")
    .argument("<id>", "id of the key, as listed")
    .action(
      run(async ({ output, operation }, id) => {
        const key = await revokeLegacyKey(await operation(), id);
        return { json: legacyKeyToWire(key), text: output.details({ id: key.id, name: key.name, state: "revoked" }) };
      }),
    );
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (!isUtf8(bytes)) throw invalid(`${path} is not UTF-8 text`);
  return bytes.toString();
}
