import { writeFile } from "node:fs/promises";
import { integerOption, OptionFault, parseList } from "@dbdepot/terminal/arguments";
import type { Output } from "@dbdepot/terminal/command";
import { details, table } from "@dbdepot/terminal/table";
import type { ApiKey, CreatedKey, CreateKeyRequest, UpdateKeyRequest } from "../wire.ts";
import { command, type Workplace } from "./workplace.ts";

const OVERLAP_MAX_SECONDS = 7 * 24 * 60 * 60;
const NOTES = ["Your own key needs the scope apikeys.manage for this."];
const SAVE = { value: "FILE", help: "Write the secret to this new file, for its owner alone, instead of showing it." };

export const keyCommands = [
  command({
    words: "keys create",
    summary: "Create a key. Its secret is shown now and never again.",
    notes: NOTES,
    arguments: [],
    options: {
      name: { value: "NAME", required: true, help: "What the key is for." },
      scopes: { value: "LIST", help: "What it may do, by comma: db.download, apikeys.manage; left out: db.download." },
      cidrs: { value: "LIST", help: "Where it may be used from, by comma; left out: as your own key." },
      expires: { value: "TIME", help: "When it stops working, like 2027-01-31; left out: never." },
      save: SAVE,
    },
    async run(workplace, _, { name, scopes = "db.download", cidrs, expires, save }) {
      const request: CreateKeyRequest = { name, allowed_scopes: scopesFrom(scopes) };
      if (cidrs !== undefined) request.allowed_cidrs = parseList(cidrs);
      if (expires !== undefined) request.expires = endFrom(expires);
      return handedOver(workplace, () => workplace.client().keys.create(request), save);
    },
  }),
  command({
    words: "keys list",
    summary: "List the keys of your organization.",
    notes: NOTES,
    arguments: [],
    options: {},
    async run(workplace) {
      const keys = await workplace.client().keys.list();
      return {
        json: keys,
        text: table(
          ["ID", "PREFIX", "NAME", "STATE", "SCOPES", "CIDRS", "LAST USED"],
          keys.map((key) => [
            key.id,
            key.key_prefix,
            key.name,
            stateOf(key),
            key.allowed_scopes,
            key.allowed_cidrs,
            key.last_used?.slice(0, 10) ?? "never",
          ]),
          "There are no keys.",
          { columns: workplace.outColumns },
        ),
      };
    },
  }),
  command({
    words: "keys rotate",
    summary: "Give a key a new secret, shown now and never again.",
    notes: NOTES,
    arguments: ["KEY"],
    options: {
      overlap: { value: "SECONDS", help: "How long the old secret works on, up to 604800; left out: 0." },
      save: SAVE,
    },
    async run(workplace, [id], { overlap = "0", save }) {
      const overlapSeconds = integerOption("overlap", overlap, 0, OVERLAP_MAX_SECONDS);
      return handedOver(workplace, () => workplace.client().keys.rotate(id, { overlapSeconds }), save);
    },
  }),
  command({
    words: "keys revoke",
    summary: "Revoke a key: it never works again.",
    notes: NOTES,
    arguments: ["KEY"],
    options: {},
    run: async (workplace, [id]) => shown(workplace, await workplace.client().keys.revoke(id)),
  }),
  command({
    words: "keys update",
    summary: "Change a key's name, scopes, CIDRs or end.",
    notes: NOTES,
    arguments: ["KEY"],
    options: {
      name: { value: "NAME", help: "The new name." },
      scopes: { value: "LIST", help: 'All that it may do from now on, by comma; "" for nothing.' },
      cidrs: { value: "LIST", help: 'All places where it may be used from, by comma; "" for anywhere.' },
      expires: { value: "TIME", help: 'When it stops working, or "never".' },
    },
    async run(workplace, [id], { name, scopes, cidrs, expires }) {
      const changes: UpdateKeyRequest = {};
      if (name !== undefined) changes.name = name;
      if (scopes !== undefined) changes.allowed_scopes = scopesFrom(scopes);
      if (cidrs !== undefined) changes.allowed_cidrs = parseList(cidrs);
      if (expires !== undefined) changes.expires = endFrom(expires);
      if (Object.keys(changes).length === 0)
        throw new OptionFault("say what to change: --name, --scopes, --cidrs or --expires");
      return shown(workplace, await workplace.client().keys.update(id, changes));
    },
  }),
];

/** The service judges them: it may know more than this command. */
function scopesFrom(text: string): ("db.download" | "apikeys.manage")[] {
  return parseList(text) as ("db.download" | "apikeys.manage")[];
}

/** A day is its first instant. Whether there is such a day is for the service to say. */
function endFrom(text: string): string | null {
  if (text === "never") return null;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
  if (!/^\d{4}-\d{2}-\d{2}[Tt ]/.test(time) || Number.isNaN(Date.parse(time))) {
    throw new OptionFault(`--expires: "${text}" is no date: write it like 2027-01-31 or 2027-01-31T12:00:00Z`);
  }
  return time;
}

async function handedOver(
  { outColumns }: Workplace,
  issue: () => Promise<CreatedKey>,
  save: string | undefined,
): Promise<Output> {
  // Made before the key is: a secret that has nowhere to go would be lost.
  if (save !== undefined) await writeFile(save, "", { flag: "wx", mode: 0o600 });
  const { rc: _, ...created } = await issue();
  const { id, name, key, allowed_scopes: scopes, allowed_cidrs: cidrs } = created;
  if (save === undefined) {
    const text = details({ id, name, key, scopes, cidrs }, { columns: outColumns });
    return { json: created, text: `${text}Store the key now: it is not shown again.\n` };
  }
  await writeFile(save, `${key}\n`);
  const { key: _secret, ...rest } = created;
  return {
    json: { ...rest, saved: save },
    text: details({ id, name, saved: save, scopes, cidrs }, { columns: outColumns }),
  };
}

function shown({ outColumns }: Workplace, key: ApiKey): Output {
  const { id, key_prefix: prefix, name, allowed_scopes: scopes, allowed_cidrs: cidrs, expires } = key;
  return {
    json: key,
    text: details(
      { id, prefix, name, state: stateOf(key), scopes, cidrs, expires: expires ?? "never" },
      { columns: outColumns },
    ),
  };
}

function stateOf({ revoked, expires }: ApiKey): string {
  if (revoked !== null) return "revoked";
  return expires !== null && Date.parse(expires) <= Date.now() ? "expired" : "works";
}
