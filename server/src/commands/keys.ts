import { integerOption, parseList } from "@dbdepot/terminal/arguments";
import type { Output } from "@dbdepot/terminal/command";
import { details, table } from "@dbdepot/terminal/table";
import type { Key } from "../keys/key.ts";
import {
  createKey,
  type IssuedKey,
  type KeyChanges,
  requireKey,
  revokeKey,
  rotateKey,
  updateKey,
} from "../keys/keys.ts";
import { issuedKeyToWire, keyToWire } from "../keys/wire.ts";
import { requireOrganization } from "../organizations/organizations.ts";
import { endOption } from "./arguments.ts";
import { command } from "./command.ts";

export const keyCommands = [
  command({
    words: "keys create",
    summary: "Create a key. Its secret is shown now and never again.",
    arguments: [],
    options: {
      name: { value: "NAME", required: true, help: "What the key is for." },
      org: { value: "ORG", help: "Whose key it is; left out: nobody's (an operator's key)." },
      scopes: { value: "LIST", help: "What it may do, by comma; left out: nothing yet." },
      cidrs: { value: "LIST", help: "Where it may be used from, by comma; left out: anywhere." },
      expires: { value: "TIME", help: "When it stops working; left out: never." },
    },
    async run(workplace, _, { name, org, scopes = "", cidrs = "", expires }) {
      const operation = await workplace.operation();
      const end = endOption("expires", expires) ?? null;
      const organization = org === undefined ? undefined : await requireOrganization(operation.store, org);
      const issued = await createKey(operation, {
        organizationId: organization?.id ?? null,
        name,
        scopes: parseList(scopes),
        cidrs: parseList(cidrs),
        expires: end,
      });
      return handedOver(issued);
    },
  }),
  command({
    words: "keys list",
    summary: "List the keys, all or one organization's.",
    arguments: ["[ORG]"],
    options: {},
    async run(workplace, [idOrName]) {
      const store = await workplace.store();
      const names = new Map((await store.organizations.list()).map(({ id, name }) => [id, name]));
      const filter = idOrName === undefined ? {} : { organizationId: (await requireOrganization(store, idOrName)).id };
      const keys = await store.keys.list(filter);
      const now = workplace.clock();
      return {
        json: keys.map(keyToWire),
        text: table(
          ["ID", "PREFIX", "NAME", "ORGANIZATION", "STATE", "SCOPES", "CIDRS", "LAST USED"],
          keys.map((key) => [
            key.id,
            key.prefix,
            key.name,
            key.organizationId && names.get(key.organizationId),
            stateOf(key, now),
            key.scopes,
            key.cidrs,
            key.lastUsed,
          ]),
          "There are no keys yet.",
        ),
      };
    },
  }),
  command({
    words: "keys rotate",
    summary: "Give a key a new secret, shown now and never again.",
    arguments: ["KEY"],
    options: { overlap: { value: "SECONDS", help: "How long the old secret works on, up to 604800; left out: 0." } },
    async run(workplace, [key], { overlap = "0" }) {
      const seconds = integerOption("overlap", overlap, 0, Number.MAX_SAFE_INTEGER);
      return handedOver(await rotateKey(await workplace.operation(), key, seconds));
    },
  }),
  command({
    words: "keys revoke",
    summary: "Revoke a key: it never works again.",
    arguments: ["KEY"],
    options: {},
    async run(workplace, [key]) {
      return shown(await revokeKey(await workplace.operation(), key), workplace.clock());
    },
  }),
  command({
    words: "keys update",
    summary: "Change a key's name, scopes, CIDRs or end.",
    arguments: ["KEY"],
    options: {
      name: { value: "NAME", help: "The new name." },
      scopes: { value: "LIST", help: 'All that it may do from now on, by comma; "" for nothing.' },
      cidrs: { value: "LIST", help: 'All places where it may be used from, by comma; "" for anywhere.' },
      expires: { value: "TIME", help: 'When it stops working, or "never".' },
    },
    async run(workplace, [key], { name, scopes, cidrs, expires }) {
      const changes: KeyChanges = {};
      if (name !== undefined) changes.name = name;
      if (scopes !== undefined) changes.scopes = parseList(scopes);
      if (cidrs !== undefined) changes.cidrs = parseList(cidrs);
      const end = endOption("expires", expires);
      if (end !== undefined) changes.expires = end;
      const operation = await workplace.operation();
      if (Object.keys(changes).length === 0) return shown(await requireKey(operation.store, key), operation.now);
      return shown(await updateKey(operation, key, changes), operation.now);
    },
  }),
];

function handedOver(issued: IssuedKey): Output {
  const { key, plain } = issued;
  return {
    json: issuedKeyToWire(issued),
    text: `${details({ id: key.id, name: key.name, key: plain.reveal(), scopes: key.scopes, cidrs: key.cidrs })}Store the key now: it is not shown again.\n`,
  };
}

function shown(key: Key, now: Date): Output {
  return {
    json: keyToWire(key),
    text: details({
      id: key.id,
      prefix: key.prefix,
      name: key.name,
      state: stateOf(key, now),
      scopes: key.scopes,
      cidrs: key.cidrs,
      expires: key.expires ?? "never",
    }),
  };
}

function stateOf(key: Key, now: Date): string {
  if (key.revoked) return "revoked";
  return key.expires !== null && key.expires <= now ? "expired" : "works";
}
