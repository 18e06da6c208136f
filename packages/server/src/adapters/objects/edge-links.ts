import { createHash, createHmac, createPrivateKey, type KeyObject, sign } from "node:crypto";
import type { LinkTerms, ObjectKey, ObjectStore } from "../../domain/builds/object-store.ts";
import { reuseWithinSecond } from "./links.ts";
import { requireObjectKey } from "./object-key.ts";
import { encodePath } from "./sigv4.ts";

/**
 * Links to a CDN or to a proxy of the vendor's own. The path of such a link is the same for all customers, so a cache can
 * keep one copy for them. The query has a token for the edge: it checks the token and does not pass it on.
 * docs/operate/cdn.md documents the tokens and has configurations that check them.
 */
export const EDGE_SIGNERS = ["cloudfront", "hmac", "secure_link"] as const;
type EdgeSigner = (typeof EDGE_SIGNERS)[number];

export interface EdgeOrigin {
  region: string;
  /** The address of the object store at the edge, without a slash at the end. */
  base: string;
}

export interface EdgeOptions {
  signer: EdgeSigner;
  /** The text of DBDEPOT_LINK_KEY_FILE. */
  keyFile: string;
  /** The first one is for everybody whose region is not among them. */
  origins: readonly [EdgeOrigin, ...EdgeOrigin[]];
}

/** Adds the token to the address of an object. */
type Sign = (url: URL, expires: number) => string;

const KEY_LINE = /^([\w-]{1,32})[ \t]+([\w-]{32,128})$/;

/** Returns the same store with links to the edge. */
export function withEdgeLinks<Store extends ObjectStore>(store: Store, { origins, ...options }: EdgeOptions): Store {
  const signed = createEdgeSigner(options);
  const bases = new Map(origins.map(({ region, base }) => [region, new URL(base)]));
  const [{ base: usual }] = origins;
  return {
    ...store,
    linkOrigin: new URL(usual).origin,
    linkRegions: origins.map(({ region }) => region),
    link: reuseWithinSecond((key: ObjectKey, { ttlSeconds, region = "", now }: LinkTerms) => {
      const url = new URL(bases.get(region) ?? usual);
      url.pathname = url.pathname.replace(/\/$/, "") + encodePath(`/${requireObjectKey(key)}`);
      return signed(url, Math.floor(now.getTime() / 1000) + ttlSeconds);
    }),
  };
}

/** Fails if the file has no valid key for the signer. The error does not repeat its content. */
export function createEdgeSigner({ signer, keyFile }: Pick<EdgeOptions, "signer" | "keyFile">): Sign {
  if (signer === "cloudfront") return cloudfront(keyFile);
  const [id, secret] = firstKey(keyFile);
  return signer === "hmac" ? hmac(id, secret) : secureLink(id, secret);
}

/** The file has a key per line, of which the first one signs. The edge accepts the others too, until their links have expired. */
function firstKey(keyFile: string): [id: string, secret: string] {
  const lines = keyFile.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const keys = lines.map((line) => KEY_LINE.exec(line.trim()));
  const [, id, secret] = keys[0] ?? [];
  if (id === undefined || secret === undefined || keys.includes(null)) {
    throw new Error(
      "each line must be the id of a key, a space, and a secret of 32 to 128 letters, digits, _ and -, such as the output of: openssl rand -hex 32",
    );
  }
  if (new Set(keys.map((key) => key?.[1])).size < keys.length) throw new Error("two keys have the same id");
  return [id, secret];
}

/** The signature covers everything before it: the path, the expiry and the id of the key. */
function hmac(id: string, secret: string): Sign {
  return ({ origin, pathname }, expires) => {
    const text = `${pathname}?exp=${expires}&kid=${id}`;
    return `${origin}${text}&sig=${createHmac("sha256", secret).update(text).digest("hex")}`;
  };
}

/** https://nginx.org/en/docs/http/ngx_http_secure_link_module.html, whose $uri is decoded. */
function secureLink(id: string, secret: string): Sign {
  return ({ origin, pathname }, expires) => {
    const text = `${expires}${decodeURIComponent(pathname)} ${secret}`;
    const token = createHash("md5").update(text).digest("base64url");
    return `${origin}${pathname}?md5=${token}&expires=${expires}&kid=${id}`;
  };
}

/** https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-creating-signed-url-canned-policy.html */
function cloudfront(keyFile: string): Sign {
  const at = keyFile.indexOf("\n");
  const [id, pem] = [keyFile.slice(0, Math.max(0, at)).trim(), keyFile.slice(at + 1)];
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    // The error of OpenSSL says nothing that helps.
  }
  if (!/^[A-Z0-9]{5,64}$/.test(id) || !["rsa", "ec"].includes(key?.asymmetricKeyType ?? "")) {
    throw new Error(
      "the first line must be the id of the public key at CloudFront, and the rest its private key as PEM, RSA or ECDSA",
    );
  }
  return ({ href }, expires) => {
    const policy = JSON.stringify({
      Statement: [{ Resource: href, Condition: { DateLessThan: { "AWS:EpochTime": expires } } }],
    });
    const signature = sign("sha1", Buffer.from(policy), key as KeyObject).toString("base64");
    const encoded = signature.replaceAll("+", "-").replaceAll("=", "_").replaceAll("/", "~");
    return `${href}?Expires=${expires}&Key-Pair-Id=${id}&Signature=${encoded}`;
  };
}
