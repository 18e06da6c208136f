/**
 * Remembers who was erased, without their address, so that an import does not bring them back. The key of the digests is in the
 * database too, because every server and every restored backup needs it. So someone who has the database can find out whether an
 * address that they know was erased, but cannot list the addresses.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { Tables } from "../store.ts";

type Readable = Pick<Tables, "privacy">;

/** Call it in a transaction. */
export async function rememberErased({ privacy }: Readable, email: string): Promise<void> {
  let secret = await privacy.secret();
  if (secret === undefined) {
    secret = randomBytes(32).toString("base64url");
    await privacy.insertSecret(secret);
  }
  await privacy.insertDigest(digestOf(secret, email));
}

/** Someone who is invited by hand has come back. Call it in a transaction. */
export async function forgetErased({ privacy }: Readable, email: string): Promise<void> {
  const secret = await privacy.secret();
  if (secret !== undefined) await privacy.removeDigest(digestOf(secret, email));
}

/** Returns the addresses whose owners were erased. */
export async function erasedAmong({ privacy }: Readable, emails: readonly string[]): Promise<Set<string>> {
  const secret = await privacy.secret();
  if (secret === undefined) return new Set();
  const digests = new Map(emails.map((email) => [email, digestOf(secret, email)]));
  const known = await privacy.knownDigests([...digests.values()]);
  return new Set(emails.filter((email) => known.has(digests.get(email) ?? "")));
}

function digestOf(secret: string, email: string): string {
  return createHmac("sha256", secret).update(email.toLowerCase()).digest("base64url");
}
