import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { parseList } from "@dbdepot/terminal/arguments";
import { details, table } from "@dbdepot/terminal/table";
import { invalid } from "../faults.ts";
import type { LegacyKeyRequest } from "../keys/legacy-key.ts";
import { parseLegacyKeyFile } from "../keys/legacy-key-file.ts";
import { BadLines, createLegacyKey, importLegacyKeys, revokeLegacyKey } from "../keys/legacy-keys.ts";
import { legacyKeyToWire } from "../keys/wire.ts";
import { command } from "./command.ts";

export const legacyKeyCommands = [
  command({
    words: "legacy-keys create",
    summary: "Create a v1 key. Its UUID is shown now and never again.",
    arguments: [],
    options: {
      name: { value: "NAME", required: true, help: "What the key is for." },
      ids: { value: "LIST", required: true, help: "The database ids that it may fetch, by comma." },
      org: { value: "ORG", help: "Whose history its downloads are shown in; left out: nobody's." },
      uuid: { value: "UUID", help: "An existing key to bring over; left out: a new one is made." },
    },
    async run(workplace, _, { name, ids, org, uuid: given }) {
      const request: LegacyKeyRequest = { name, databaseIds: parseList(ids) };
      if (org !== undefined) request.organization = org;
      if (given !== undefined) request.uuid = given;
      const { key, uuid } = await createLegacyKey(await workplace.operation(), request);
      return {
        json: { ...legacyKeyToWire(key), key: uuid },
        text: `${details({ id: key.id, name: key.name, key: uuid, ids: key.databaseIds })}Store the key now: it is not shown again.\n`,
      };
    },
  }),
  command({
    words: "legacy-keys import",
    summary: "Bring existing v1 keys over from a CSV file (uuid,name,ids and org): all of them, or none.",
    arguments: ["FILE"],
    options: {},
    async run(workplace, [path]) {
      const lines = parseLegacyKeyFile(await readText(path));
      try {
        const keys = await importLegacyKeys(await workplace.operation(), lines);
        const text = `${keys.length === 1 ? "1 key was" : `${keys.length} keys were`} imported.\n`;
        return { json: { imported: keys.map(legacyKeyToWire), bad_lines: [] }, text };
      } catch (error) {
        if (!(error instanceof BadLines)) throw error;
        for (const { line, reason } of error.lines) workplace.say(`line ${line}: ${reason}\n`);
        workplace.say("Nothing was imported.\n");
        return { json: { imported: [], bad_lines: error.lines }, text: "", exitCode: 1 };
      }
    },
  }),
  command({
    words: "legacy-keys list",
    summary: "List the v1 keys.",
    arguments: [],
    options: {},
    async run(workplace) {
      const store = await workplace.store();
      const names = new Map((await store.organizations.list()).map(({ id, name }) => [id, name]));
      const keys = await store.legacyKeys.list();
      return {
        json: keys.map(legacyKeyToWire),
        text: table(
          ["ID", "NAME", "ORGANIZATION", "STATE", "DATABASES", "LAST USED"],
          keys.map((key) => [
            key.id,
            key.name,
            key.organizationId && names.get(key.organizationId),
            key.revoked ? "revoked" : "works",
            key.databaseIds,
            key.lastUsed,
          ]),
          "There are no legacy keys yet.",
        ),
      };
    },
  }),
  command({
    words: "legacy-keys revoke",
    summary: "Revoke a v1 key: it never works again.",
    arguments: ["ID"],
    options: {},
    async run(workplace, [id]) {
      const key = await revokeLegacyKey(await workplace.operation(), id);
      return { json: legacyKeyToWire(key), text: details({ id: key.id, name: key.name, state: "revoked" }) };
    },
  }),
];

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw invalid(`cannot read ${path} (${error.code})`);
  });
  if (!isUtf8(bytes)) throw invalid(`${path} is no text in UTF-8`);
  return bytes.toString();
}
