import { isIP } from "node:net";
import type { CreateKeyRequest, UpdateKeyRequest } from "../api/wire.gen.ts";

const SCOPES: readonly string[] = ["db.download", "apikeys.manage", "account.read", "apikeys.read", "org.read"];
const NAME_MAX_LENGTH = 100;

/** Lists the likely reasons why the service rejected a request for a key. */
export function reasonsOf(request: CreateKeyRequest | UpdateKeyRequest): string {
  return problemsOf(request).join("; ") || UNKNOWN_REASON;
}

const UNKNOWN_REASON =
  "check that networks end in zeros, like 10.0.0.0/8, and that your own key allows these networks and does not expire earlier";

function problemsOf({ name, allowed_scopes, allowed_cidrs, expires }: CreateKeyRequest | UpdateKeyRequest): string[] {
  const problems: string[] = [];
  if (name !== undefined && (name.trim() === "" || name.trim().length > NAME_MAX_LENGTH)) {
    problems.push(`the name must have 1 to ${NAME_MAX_LENGTH} characters`);
  }
  for (const scope of allowed_scopes ?? []) {
    if (!SCOPES.includes(scope)) problems.push(`"${scope}" is not one of the scopes ${SCOPES.join(", ")}`);
  }
  for (const cidr of allowed_cidrs ?? []) {
    if (!isCidr(cidr)) problems.push(`"${cidr}" is not a network like 10.0.0.0/8 or 2001:db8::/32`);
  }
  if (expires && Date.parse(expires) <= Date.now()) problems.push(`${expires} is in the past`);
  return problems;
}

function isCidr(text: string): boolean {
  const [address = "", prefix = ""] = text.split("/");
  const version = isIP(address);
  return version > 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}
