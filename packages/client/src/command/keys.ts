import { writeFile } from "node:fs/promises";
import {
  type Command,
  examples,
  InvalidArgumentError,
  Option,
  type Result,
  UsageError,
} from "@dbdepot/terminal/command";
import { parseDuration } from "@dbdepot/terminal/duration";
import type { Output } from "@dbdepot/terminal/output";
import { durationSeconds, parseList } from "@dbdepot/terminal/values";
import type { ApiKey, CreatedKey, CreateKeyRequest, UpdateKeyRequest } from "../api/wire.gen.ts";
import type { Run } from "./context.ts";
import { findKey } from "./find-key.ts";
import { reasonsOf } from "./key-request.ts";
import { createProfileFile, writeProfile } from "./profile.ts";
import { explainRejection } from "./rejection.ts";

type Scope = NonNullable<CreateKeyRequest["allowed_scopes"]>[number];

const DEFAULT_SCOPES: Scope[] = ["db.download"];
const OVERLAP_MAX_SECONDS = 7 * 24 * 60 * 60;

export function addKeyCommands(program: Command, run: Run): void {
  const keys = program
    .command("keys")
    .description(
      "Create, list, rotate and revoke your organization's keys (needs a key with the scope apikeys.manage)",
    );

  keys
    .command("create")
    .description("Create a key and show its secret once")
    .requiredOption("--name <name>", "what the key is for")
    .option(
      "--scopes <list>",
      "comma-separated scopes: db.download, apikeys.manage, account.read, apikeys.read, org.read (default: db.download)",
      scopes,
    )
    .option(
      "--cidrs <list>",
      "comma-separated networks it may be used from (default: those of your own key)",
      parseList,
    )
    .option(
      "--expires <time>",
      "when it stops working: a date, or a duration from now like 90d (default: never)",
      timeOrNever,
    )
    .addOption(saveOption())
    .option("--profile <file>", "new profile file for Delta Sharing to write the secret to, with mode 0600")
    .addHelpText(
      "after",
      examples(
        "dbdepot keys create --name ci --expires 2028-01-01 --save ci.key",
        "dbdepot keys create --name warehouse --expires 365d --profile config.share",
      ),
    )
    .action(
      run(async ({ output, client, settings }, { name, scopes = DEFAULT_SCOPES, cidrs, expires, save, profile }) => {
        if (save !== undefined && profile !== undefined) throw new UsageError("use either --save or --profile");
        const request: CreateKeyRequest = { name, allowed_scopes: scopes };
        if (cidrs !== undefined) request.allowed_cidrs = cidrs;
        if (expires !== undefined) request.expires = endOf(expires);
        const create = () => explainRejection(client().keys.create(request), () => reasonsOf(request));
        if (profile === undefined) return issuedResult(output, create, save);
        const { url = "" } = settings();
        await createProfileFile(profile);
        const { rc: _, key, ...created } = await create();
        // A key inherits the expiry of the one that created it.
        const end = request.expires === undefined ? (await client().identity()).expires : request.expires;
        await writeProfile(profile, { url, key, expires: end });
        const { id, allowed_scopes, allowed_cidrs } = created;
        const facts = { id, name, profile, scopes: allowed_scopes, cidrs: allowed_cidrs, expires: end ?? "never" };
        return { json: { ...created, profile, expires: end }, text: output.details(facts) };
      }),
    );

  keys
    .command("list")
    .description("List your organization's keys")
    .action(
      run(async ({ output, client }) => {
        const keys = await client().keys.list();
        return {
          json: keys,
          text: output.table(
            ["PREFIX", "NAME", "STATE", "EXPIRES", "SCOPES", "CIDRS", "LAST USED", "OLD SECRET UNTIL", "ID"],
            keys.map((key) => [
              key.key_prefix,
              key.name,
              stateOf(key),
              key.expires?.slice(0, 10) ?? "never",
              key.allowed_scopes,
              key.allowed_cidrs,
              key.last_used?.slice(0, 10) ?? "never",
              key.old_secret_until ? new Date(key.old_secret_until) : undefined,
              key.id,
            ]),
            "No keys.",
          ),
        };
      }),
    );

  keys
    .command("rotate")
    .description("Issue a new secret for a key and show it once")
    .argument("<key>", "key id or prefix, or the beginning of one")
    .option(
      "--overlap <duration>",
      "how long the old secret keeps working, up to 7d",
      durationSeconds(OVERLAP_MAX_SECONDS),
      0,
    )
    .addOption(saveOption())
    .action(
      run(async ({ output, client }, key, { overlap: overlapSeconds, save }) => {
        const { keys } = client();
        const id = await findKey(keys, key);
        return issuedResult(output, () => keys.rotate(id, { overlapSeconds }), save);
      }),
    );

  keys
    .command("end-overlap")
    .description("Make the old secret of a rotated key stop working now")
    .argument("<key>", "key id or prefix, or the beginning of one")
    .action(
      run(async ({ output, client }, key) => {
        const { keys } = client();
        return keyResult(output, await keys.endOverlap(await findKey(keys, key)));
      }),
    );

  keys
    .command("revoke")
    .description("Revoke a key permanently")
    .argument("<key>", "key id or prefix, or the beginning of one")
    .action(
      run(async ({ output, client }, key) => {
        const { keys } = client();
        return keyResult(output, await keys.revoke(await findKey(keys, key)));
      }),
    );

  keys
    .command("update")
    .description("Change the name, scopes, networks or expiry of a key")
    .argument("<key>", "key id or prefix, or the beginning of one")
    .option("--name <name>", "new name")
    .option("--scopes <list>", 'comma-separated scopes that replace the current ones ("" for none)', scopes)
    .option("--cidrs <list>", 'comma-separated networks that replace the current ones ("" for anywhere)', parseList)
    .option("--expires <time>", 'when it stops working: a date, a duration from now like 90d, or "never"', timeOrNever)
    .action(
      run(async ({ output, client }, key, { name, scopes, cidrs, expires }) => {
        const changes: UpdateKeyRequest = {};
        if (name !== undefined) changes.name = name;
        if (scopes !== undefined) changes.allowed_scopes = scopes;
        if (cidrs !== undefined) changes.allowed_cidrs = cidrs;
        if (expires !== undefined) changes.expires = endOf(expires);
        if (Object.keys(changes).length === 0)
          throw new UsageError("nothing to change: give --name, --scopes, --cidrs or --expires");
        const { keys } = client();
        const id = await findKey(keys, key);
        return keyResult(output, await explainRejection(keys.update(id, changes), () => reasonsOf(changes)));
      }),
    );
}

function saveOption() {
  return new Option("--save <file>", "new file to write the secret to, with mode 0600, instead of showing it");
}

/** The service checks the scopes, because it may have some that this command does not know. */
function scopes(text: string): Scope[] {
  return parseList(text) as Scope[];
}

/** A date means midnight UTC. The service checks whether the date exists. */
function timeOrNever(text: string): string {
  if (text === "never") return text;
  const durationMs = /[a-z]$/.test(text) ? parseDuration(text) : undefined;
  if (durationMs !== undefined) return new Date(Date.now() + durationMs).toISOString();
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
  if (!/^\d{4}-\d{2}-\d{2}[Tt ]/.test(time) || Number.isNaN(Date.parse(time))) {
    throw new InvalidArgumentError("Use a date like 2027-01-31 or 2027-01-31T12:00:00Z, or a duration like 90d.");
  }
  return time;
}

function endOf(time: string): string | null {
  return time === "never" ? null : time;
}

async function issuedResult(
  output: Output,
  issue: () => Promise<CreatedKey>,
  save: string | undefined,
): Promise<Result> {
  // Create the file before the key, because a secret that cannot be written would be lost.
  if (save !== undefined) await writeFile(save, "", { flag: "wx", mode: 0o600 });
  const { rc: _, ...created } = await issue();
  const { id, name, key, allowed_scopes: scopes, allowed_cidrs: cidrs } = created;
  if (save === undefined) {
    const text = output.details({ id, name, key, scopes, cidrs });
    return { json: created, text: `${text}Store the key now: it is not shown again.\n` };
  }
  await writeFile(save, `${key}\n`);
  const { key: _secret, ...rest } = created;
  return { json: { ...rest, saved: save }, text: output.details({ id, name, saved: save, scopes, cidrs }) };
}

function keyResult(output: Output, key: ApiKey): Result {
  const { id, key_prefix: prefix, name, allowed_scopes: scopes, allowed_cidrs: cidrs, expires } = key;
  return {
    json: key,
    text: output.details({ id, prefix, name, state: stateOf(key), scopes, cidrs, expires: expires ?? "never" }),
  };
}

function stateOf({ revoked, expires }: ApiKey): string {
  if (revoked !== null) return "revoked";
  return expires !== null && Date.parse(expires) <= Date.now() ? "expired" : "active";
}
