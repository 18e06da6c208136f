import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { isSha256 } from "../../api/incoming.ts";
import { DbdepotError } from "../../errors.ts";

/** The networks that are answered without a token: loopback, private and link-local ones. */
const PRIVATE = new BlockList();
for (const [address, prefix] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["169.254.0.0", 16],
] as const) {
  PRIVATE.addSubnet(address, prefix, "ipv4");
}
PRIVATE.addAddress("::1", "ipv6");
PRIVATE.addSubnet("fc00::", 7, "ipv6");
PRIVATE.addSubnet("fe80::", 10, "ipv6");

/** The names of those who may read the mirror, by the SHA-256 of their tokens. */
export type Tokens = ReadonlyMap<string, string>;

export type Access = { name: string | null } | { status: 401 | 403; rc: string; message: string };

/** Reads lines of a name and the SHA-256 of its token. Lines that are empty or begin with `#` are ignored. */
export async function readTokens(path: string): Promise<Tokens> {
  const tokens = new Map<string, string>();
  const lines = (await readFile(path, "utf8")).split("\n");
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const [name = "", sha256, ...rest] = text.split(/\s+/);
    // The message does not repeat the line, which may contain a token.
    if (!/^[\w.@-]{1,64}$/.test(name) || !isSha256(sha256) || rest.length > 0) {
      throw new DbdepotError("bad_request", `${path}:${index + 1}: expected a name and the SHA-256 of a token`);
    }
    tokens.set(sha256, name);
  }
  return tokens;
}

/** Decides who may read the mirror. Without tokens, the address decides. */
export function accessOf(
  request: IncomingMessage,
  { tokens, isOpen }: { tokens: Tokens | undefined; isOpen: boolean },
): Access {
  if (!tokens) {
    if (isOpen || isPrivate(request.socket.remoteAddress)) return { name: null };
    const message =
      "this mirror answers private addresses only: its administrator can start it with --tokens or --open";
    return { status: 403, rc: "MIRROR_ADDRESS", message };
  }
  const token = tokenIn(request.headers.authorization);
  // The tokens have enough entropy, so looking up their hash reveals nothing.
  const name = token && tokens.get(createHash("sha256").update(token).digest("hex"));
  if (name) return { name };
  const message =
    "this mirror asks for a token: pass it as Bearer token, as DBDEPOT_CLIENT_FROM_TOKEN, or as LicenseKey";
  return { status: 401, rc: "MIRROR_TOKEN", message };
}

/** geoipupdate sends the token as the password of HTTP Basic. */
function tokenIn(header: string | undefined): string | undefined {
  const [, scheme = "", value = ""] = /^(\S+) +(\S+)$/.exec(header ?? "") ?? [];
  if (scheme.toLowerCase() === "bearer") return value;
  if (scheme.toLowerCase() !== "basic") return undefined;
  return /:(.*)$/s.exec(Buffer.from(value, "base64").toString("utf8"))?.[1];
}

export function isPrivate(address = ""): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  const version = isIP(plain);
  return version !== 0 && PRIVATE.check(plain, version === 4 ? "ipv4" : "ipv6");
}
