import { type Command, examples, type Result } from "@dbdepot/terminal/command";
import { formatDay } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import { integer } from "@dbdepot/terminal/values";
import { activeKey } from "../domain/manifests/sign.ts";
import type { SigningKey } from "../domain/manifests/signing-key.ts";
import { createSigningKey, type IssuedSigningKey, rotateSigningKey } from "../domain/manifests/signing-keys.ts";
import { signingKeyToWire } from "../domain/manifests/wire.ts";
import type { Run } from "./context.ts";

const OVERLAP_MAX_DAYS = 3650;

export function addSigningKeyCommands(program: Command, run: Run): void {
  const keys = program.command("signing-keys").description("Manage the keys that sign builds");

  keys
    .command("create")
    .description("Start signing: create a key and sign all current builds")
    .option("--replace", "replace a lost or stolen key; customers must then trust the new key themselves")
    .addHelpText("after", examples("dbdepot-server signing-keys create"))
    .action(
      run(async ({ output, operation, settings }, { replace = false }) =>
        issuedResult(output, await createSigningKey(await operation(), { replace }), settings.signingKeysDir),
      ),
    );

  keys
    .command("rotate")
    .description("Replace the key with a new one that the old key endorses")
    .option("--overlap-days <days>", "how long customers still accept the old key", integer(0, OVERLAP_MAX_DAYS), 30)
    .addHelpText("after", examples("dbdepot-server signing-keys rotate --overlap-days 60"))
    .action(
      run(async ({ output, operation, settings }, { overlapDays }) =>
        issuedResult(output, await rotateSigningKey(await operation(), { overlapDays }), settings.signingKeysDir),
      ),
    );

  keys
    .command("list")
    .description("List the signing keys")
    .action(
      run(async ({ output, store, clock }) => {
        const keys = await (await store()).signingKeys.list();
        const active = activeKey(keys);
        const now = clock();
        return {
          json: keys.map((key) => ({ ...signingKeyToWire(key), state: stateOf(key, active, now) })),
          // A table would truncate public keys in a narrow terminal.
          text:
            keys
              .map((key) =>
                output.details({
                  "key id": key.keyId,
                  state: stateOf(key, active, now),
                  created: formatDay(key.created),
                  ...(key.expires && { "accepted until": formatDay(key.expires) }),
                  "public key": key.publicKey,
                }),
              )
              .join("\n") || "No signing keys: builds are not signed.\n",
        };
      }),
    );
}

function stateOf(key: SigningKey, active: SigningKey | undefined, now: Date): string {
  if (key.isImported) return "imported";
  if (key.keyId === active?.keyId) return "active";
  return key.expires !== null && key.expires <= now ? "expired" : "overlap";
}

function issuedResult(output: Output, { key, signedVersionIds }: IssuedSigningKey, directory: string): Result {
  const fields = { "key id": key.keyId, "public key": key.publicKey, directory };
  const signed = signedVersionIds.length === 1 ? "1 current build" : `${signedVersionIds.length} current builds`;
  return {
    json: { ...signingKeyToWire(key), signed_version_ids: signedVersionIds },
    text: `${output.details(fields)}Signed ${signed}. Copy the private key in this directory to a safe place: "backup" does not include it.\n`,
  };
}
