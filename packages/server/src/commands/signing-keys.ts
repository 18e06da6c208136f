import { type Command, examples, type Result } from "@dbdepot/terminal/command";
import { formatDay } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import { integer } from "@dbdepot/terminal/values";
import { activeFreshnessKey, type FreshnessKey } from "../domain/manifests/freshness.ts";
import { createFreshnessKey, type IssuedFreshnessKey, rotateFreshnessKey } from "../domain/manifests/freshness-keys.ts";
import { activeKey } from "../domain/manifests/sign.ts";
import type { SigningKey } from "../domain/manifests/signing-key.ts";
import { createSigningKey, type IssuedSigningKey, rotateSigningKey } from "../domain/manifests/signing-keys.ts";
import { freshnessKeyToWire, signingKeyToWire } from "../domain/manifests/wire.ts";
import type { Run } from "./context.ts";

const OVERLAP_MAX_DAYS = 3650;
const VALID_MAX_DAYS = 3650;
const VALID_DAYS = 365;

export function addSigningKeyCommands(program: Command, run: Run): void {
  const keys = program.command("signing-keys").description("Manage the keys that sign builds and their freshness");
  const validDays = integer(1, VALID_MAX_DAYS);

  keys
    .command("create")
    .description("Start signing: create a key and sign all current builds")
    .option("--replace", "replace a lost or stolen key; customers must then trust the new signing key themselves")
    .option("--freshness", "create the key that signs statements of freshness instead, endorsed by the signing key")
    .option("--valid-days <days>", "with --freshness: how long the endorsement is valid", validDays, VALID_DAYS)
    .addHelpText(
      "after",
      examples("dbdepot-server signing-keys create", "dbdepot-server signing-keys create --freshness"),
    )
    .action(
      run(async ({ output, operation, settings }, { replace = false, freshness = false, validDays }) =>
        freshness
          ? freshnessResult(
              output,
              await createFreshnessKey(await operation(), { validDays, replace }),
              settings.freshnessKeysDir,
            )
          : issuedResult(output, await createSigningKey(await operation(), { replace }), settings.signingKeysDir),
      ),
    );

  keys
    .command("rotate")
    .description("Replace the key with a new one that the old key endorses")
    .option("--overlap-days <days>", "how long customers still accept the old key", integer(0, OVERLAP_MAX_DAYS), 30)
    .option("--freshness", "replace the key that signs statements of freshness, endorsed by the signing key")
    .option("--valid-days <days>", "with --freshness: how long the endorsement is valid", validDays, VALID_DAYS)
    .addHelpText(
      "after",
      examples(
        "dbdepot-server signing-keys rotate --overlap-days 60",
        "dbdepot-server signing-keys rotate --freshness",
      ),
    )
    .action(
      run(async ({ output, operation, settings }, { overlapDays, freshness = false, validDays }) =>
        freshness
          ? freshnessResult(
              output,
              await rotateFreshnessKey(await operation(), { validDays }),
              settings.freshnessKeysDir,
            )
          : issuedResult(output, await rotateSigningKey(await operation(), { overlapDays }), settings.signingKeysDir),
      ),
    );

  keys
    .command("list")
    .description("List the signing keys")
    .option("--freshness", "list the keys that sign statements of freshness instead")
    .action(
      run(async ({ output, store, clock }, { freshness = false }) => {
        const { signingKeys, freshnessKeys } = await store();
        const listed = freshness
          ? listFreshnessKeys(output, await freshnessKeys.list(), clock())
          : listSigningKeys(output, await signingKeys.list(), clock());
        return {
          json: listed.map(({ json }) => json),
          text: listed.map(({ text }) => text).join("\n") || noKeys(freshness),
        };
      }),
    );
}

function noKeys(freshness: boolean): string {
  return freshness
    ? "No freshness keys: customers cannot tell a stalled service from one without a new build.\n"
    : "No signing keys: builds are not signed.\n";
}

/** A table would truncate public keys in a narrow terminal. */
function listSigningKeys(output: Output, keys: readonly SigningKey[], now: Date): { json: object; text: string }[] {
  const active = activeKey(keys);
  return keys.map((key) => {
    const state = stateOf(key, active, now);
    const text = output.details({
      "key id": key.keyId,
      state,
      created: formatDay(key.created),
      ...(key.expires && { "accepted until": formatDay(key.expires) }),
      "public key": key.publicKey,
    });
    return { json: { ...signingKeyToWire(key), state }, text };
  });
}

function stateOf(key: SigningKey, active: SigningKey | undefined, now: Date): string {
  if (key.isImported) return "imported";
  if (key.keyId === active?.keyId) return "active";
  return key.expires !== null && key.expires <= now ? "expired" : "overlap";
}

function listFreshnessKeys(output: Output, keys: readonly FreshnessKey[], now: Date): { json: object; text: string }[] {
  const active = activeFreshnessKey(keys);
  return keys.map((key) => {
    const state = freshnessStateOf(key, active, now);
    const text = output.details({
      "key id": key.keyId,
      state,
      created: formatDay(key.created),
      "accepted until": formatDay(key.expires),
      "public key": key.publicKey,
    });
    return { json: { ...freshnessKeyToWire(key), state }, text };
  });
}

function freshnessStateOf(key: FreshnessKey, active: FreshnessKey | undefined, now: Date): string {
  if (key.isImported) return "imported";
  if (key.isRevoked) return "revoked";
  if (key.expires <= now) return "expired";
  return key.keyId === active?.keyId ? "active" : "replaced";
}

function issuedResult(output: Output, { key, signedVersionIds }: IssuedSigningKey, directory: string): Result {
  const fields = { "key id": key.keyId, "public key": key.publicKey, directory };
  const signed = signedVersionIds.length === 1 ? "1 current build" : `${signedVersionIds.length} current builds`;
  return {
    json: { ...signingKeyToWire(key), signed_version_ids: signedVersionIds },
    text: `${output.details(fields)}Signed ${signed}. Copy the private key in this directory to a safe place: "backup" does not include it.\n`,
  };
}

function freshnessResult(output: Output, { key, confirmedCount }: IssuedFreshnessKey, directory: string): Result {
  const fields = {
    "key id": key.keyId,
    "accepted until": formatDay(key.expires),
    "public key": key.publicKey,
    directory,
  };
  const confirmed = confirmedCount === 1 ? "1 statement" : `${confirmedCount} statements`;
  return {
    json: { ...freshnessKeyToWire(key), confirmed_versions: confirmedCount },
    text: `${output.details(fields)}Issued ${confirmed}. The servers renew them: each needs the private key in its directory of freshness keys.\n`,
  };
}
