import { KEY_SORTS } from "@dbdepot/contract/iam/keys";
import { isOperatorScope, isScope, SCOPES } from "@dbdepot/contract/shared/scopes";
import { type Command, examples, type Result } from "@dbdepot/terminal/command";
import { formatDay } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import { durationSeconds, parseList } from "@dbdepot/terminal/values";
import { organizationIdOf, requireActiveOrganization } from "../domain/access/find-organization.ts";
import type { Key } from "../domain/keys/key.ts";
import {
  createKey,
  endOverlap,
  type IssuedKey,
  type KeyChanges,
  OVERLAP_MAX_SECONDS,
  requireKey,
  revokeKey,
  rotateKey,
  updateKey,
} from "../domain/keys/keys.ts";
import { listedKeys } from "../domain/keys/listing.ts";
import { issuedKeyToWire, keyToWire } from "../domain/keys/wire.ts";
import type { Run } from "./context.ts";
import { SEARCH_OPTION, sortOption } from "./lists.ts";
import { endOf, timeOrNever } from "./values.ts";

/** Commands accept the prefix as well as the id, so the long id comes last. */
const HEADINGS = [
  "PREFIX",
  "NAME",
  "ORGANIZATION",
  "STATE",
  "EXPIRES",
  "SCOPES",
  "CIDRS",
  "LAST USED",
  "OLD SECRET UNTIL",
  "ID",
];

export function addKeyCommands(program: Command, run: Run): void {
  const keys = program.command("keys").description("Create, list, rotate and revoke API keys");

  keys
    .command("create")
    .description("Create a key and show its secret once")
    .requiredOption("--name <name>", "what the key is for")
    .option("--org <org>", "organization that owns the key, by id or exact name (default: none, an operator key)")
    .option("--scopes <list>", "comma-separated scopes (default: none)", parseList)
    .option("--cidrs <list>", "comma-separated networks it may be used from (default: anywhere)", parseList)
    .option(
      "--expires <time>",
      "when it stops working: a date, or a duration from now like 90d (default: never)",
      timeOrNever,
    )
    .addHelpText(
      "after",
      examples(
        "dbdepot-server keys create --org Acme --name ci --scopes db.download",
        "dbdepot-server keys create --name publisher --scopes builds.publish \\",
        "  --expires 2028-01-01",
      ),
    )
    .action(
      run(async ({ output, operation: openOperation }, { name, org, scopes = [], cidrs = [], expires = "never" }) => {
        const operation = await openOperation();
        const organization = org === undefined ? undefined : await requireActiveOrganization(operation.store, org);
        const organizationId = organization?.id ?? null;
        const useless = organization ? [] : scopes.filter((scope) => isScope(scope) && !isOperatorScope(scope));
        if (useless.length > 0) {
          output.warn(
            `${useless.join(" and ")} needs an organization: without --org, every request of this key gets 401`,
          );
        }
        const issued = await createKey(operation, { organizationId, name, scopes, cidrs, expires: endOf(expires) });
        if (scopes.length === 0) {
          const choices = SCOPES.filter((scope) => isOperatorScope(scope) === (organization === undefined));
          output.warn(`without --scopes, the key has no access. Scopes: ${choices.join(", ")}`);
        }
        return issuedResult(output, issued);
      }),
    );

  keys
    .command("list")
    .description("List keys, of all organizations or of one")
    .argument("[org]", "organization, by id or exact name")
    .option(...SEARCH_OPTION)
    .addOption(sortOption(KEY_SORTS))
    .action(
      run(async ({ output, store: openStore, clock }, org, request) => {
        const store = await openStore();
        const names = new Map((await store.organizations.list()).map(({ id, name }) => [id, name]));
        const organizationId = await organizationIdOf(store, org);
        const { items: keys } = await store.keys.page({ organizationId }, request);
        const now = clock();
        const listed = await listedKeys(store, keys, now);
        return {
          json: listed,
          text: output.table(
            HEADINGS,
            keys.map((key, index) => [
              key.prefix,
              key.name,
              key.organizationId && names.get(key.organizationId),
              stateOf(key, now),
              key.expires ? formatDay(key.expires) : "never",
              key.scopes,
              key.cidrs,
              key.lastUsed ? formatDay(key.lastUsed) : "never",
              timeOf(listed[index]?.old_secret_until),
              key.id,
            ]),
            request.search ? "No key matches." : "No keys yet.",
          ),
        };
      }),
    );

  keys
    .command("rotate")
    .description("Issue a new secret for a key and show it once")
    .argument("<key>", "key id or prefix")
    .option(
      "--overlap <duration>",
      "how long the old secret keeps working, up to 7d",
      durationSeconds(OVERLAP_MAX_SECONDS),
      0,
    )
    .addHelpText("after", examples("dbdepot-server keys rotate dbd_8Xq2mLw1 --overlap 1h"))
    .action(
      run(async ({ output, operation }, key, { overlap }) =>
        issuedResult(output, await rotateKey(await operation(), key, overlap)),
      ),
    );

  keys
    .command("end-overlap")
    .description("Make the old secret of a rotated key stop working now")
    .argument("<key>", "key id or prefix")
    .addHelpText("after", examples("dbdepot-server keys end-overlap dbd_8Xq2mLw1"))
    .action(
      run(async ({ output, operation, clock }, key) =>
        keyResult(output, await endOverlap(await operation(), key), clock()),
      ),
    );

  keys
    .command("revoke")
    .description("Revoke a key permanently")
    .argument("<key>", "key id or prefix")
    .action(
      run(async ({ output, operation, clock }, key) =>
        keyResult(output, await revokeKey(await operation(), key), clock()),
      ),
    );

  keys
    .command("update")
    .description("Change the name, scopes, networks or expiry of a key")
    .argument("<key>", "key id or prefix")
    .option("--name <name>", "new name")
    .option("--scopes <list>", 'comma-separated scopes that replace the current ones ("" for none)', parseList)
    .option("--cidrs <list>", 'comma-separated networks that replace the current ones ("" for anywhere)', parseList)
    .option("--expires <time>", 'when it stops working: a date, a duration from now like 90d, or "never"', timeOrNever)
    .addHelpText("after", examples("dbdepot-server keys update dbd_8Xq2mLw1 --scopes db.download --expires never"))
    .action(
      run(async ({ output, operation: openOperation }, key, { name, scopes, cidrs, expires }) => {
        const changes: KeyChanges = {};
        if (name !== undefined) changes.name = name;
        if (scopes !== undefined) changes.scopes = scopes;
        if (cidrs !== undefined) changes.cidrs = cidrs;
        if (expires !== undefined) changes.expires = endOf(expires);
        const operation = await openOperation();
        const isChanged = Object.keys(changes).length > 0;
        const updated = isChanged ? updateKey(operation, key, changes) : requireKey(operation.store, key);
        return keyResult(output, await updated, operation.now);
      }),
    );
}

function timeOf(time: string | null | undefined): Date | undefined {
  return time ? new Date(time) : undefined;
}

function issuedResult(output: Output, issued: IssuedKey): Result {
  const { key, plain } = issued;
  const fields = { id: key.id, name: key.name, key: plain.reveal(), scopes: key.scopes, cidrs: key.cidrs };
  return {
    json: issuedKeyToWire(issued),
    text: `${output.details(fields)}Store the key now: it is not shown again.\n`,
  };
}

function keyResult(output: Output, key: Key, now: Date): Result {
  return {
    json: keyToWire(key),
    text: output.details({
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
  if (key.expires !== null && key.expires <= now) return "expired";
  return key.scopes.length === 0 ? "no scopes" : "active";
}
