import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseList } from "@dbdepot/terminal/values";
import type { EdgeOrigin } from "../adapters/objects/edge-links.ts";
import type { ObjectsAddress } from "../adapters/objects/open.ts";
import { parseS3Url } from "../adapters/objects/s3-url.ts";
import type { DatabaseAddress } from "../adapters/sql/open.ts";
import type { RateLimit } from "../http/token-buckets.ts";

/** Parses the values of settings. Every function throws an error that says what the value must be. */

export function parseSmtpUrl(value: string): string {
  // The URL may contain a password, so the message does not repeat it.
  if (!/^smtps?:\/\/./.test(value) || !URL.canParse(value)) {
    throw new Error("must be smtp://user:password@host:587 or smtps://user:password@host");
  }
  return value;
}

export function parseOtlpEndpoint(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new Error(`must be an http:// or https:// URL, not "${value}"`);
  }
  return value.replace(/\/+$/, "");
}

/** Codes and tokens must not travel unencrypted, except on this machine. */
export function parseIssuer(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.origin));
  if (!url || !isSafe || url.search || url.hash || url.username) {
    throw new Error(`must be the https:// URL of the provider, without a query, not "${text}"`);
  }
  return url;
}

export function parseDatabase(text: string): DatabaseAddress {
  if (text.startsWith("sqlite:") && text.length > "sqlite:".length) {
    return { engine: "sqlite", path: resolve(text.slice("sqlite:".length)) };
  }
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return { engine: "postgres", url: text };
  // The URL may contain a password, so the message does not repeat it.
  throw new Error("must be sqlite:<path> or postgres://user:password@host/name");
}

export function parseObjects(text: string): ObjectsAddress {
  if (text.startsWith("s3:")) return { store: "s3", ...parseS3Url(text) };
  if (text.startsWith("file:///")) return { store: "disk", folder: fileURLToPath(text) };
  if (text.startsWith("file:") && text.length > "file:".length) {
    return { store: "disk", folder: resolve(text.slice("file:".length)) };
  }
  throw new Error("must be file:<directory> or s3://bucket/prefix?region=…");
}

export function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search || url.hash || url.username) {
    throw new Error("must be an origin, like https://downloads.example.com, without a path");
  }
  return url.origin;
}

/** "https://files.example.com", or "eu=https://eu.example.com,us=https://us.example.com/dbdepot" */
export function parseLinkOrigins(text: string): EdgeOrigin[] {
  const entries = parseList(text);
  const origins = entries.map((entry) => {
    const [, region = "default", address = ""] = /^(?:([a-z0-9-]{1,32})=)?(.*)$/s.exec(entry) ?? [];
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
      throw new Error("must be an https:// URL, or a list like eu=https://eu.example.com,us=https://us.example.com");
    }
    return { region, base: url.href.replace(/\/$/, "") };
  });
  if (new Set(origins.map(({ region }) => region)).size < origins.length) {
    throw new Error("must name each region once, as region=URL");
  }
  return origins;
}

export function parseHeaderName(text: string): string {
  if (!/^[A-Za-z0-9-]*$/.test(text)) throw new Error(`must be the name of a header, not "${text}"`);
  return text.toLowerCase();
}

/** Returns the text of the file. The errors never contain it, because it has secrets. */
export function parseTextFile(path: string): string {
  if (path === "") return "";
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
  }
}

const BRAND_NAME_MAX_LENGTH = 60;
const LEGAL_LINKS_MAX = 8;

export function parseBrandName(text: string): string {
  if (/\p{Cc}/u.test(text) || [...text].length > BRAND_NAME_MAX_LENGTH) {
    throw new Error(`must be one line of up to ${BRAND_NAME_MAX_LENGTH} characters`);
  }
  return text;
}

export function parseLink(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(https?|mailto):$/.test(url.protocol) || url.username || url.password) {
    throw new Error(`must be an https:// or mailto: URL, not "${text}"`);
  }
  return url.href;
}

/** "Terms=https://vendor.example/terms,Privacy=https://vendor.example/privacy" */
export function parseLegalLinks(text: string): { label: string; url: string }[] {
  const links = parseList(text).map((entry) => {
    const at = entry.indexOf("=");
    const label = entry.slice(0, Math.max(0, at)).trim();
    if (label === "" || /\p{Cc}/u.test(label)) throw new Error(`must be a list of Label=URL, not "${entry}"`);
    return { label, url: parseLink(entry.slice(at + 1).trim()) };
  });
  if (links.length > LEGAL_LINKS_MAX) throw new Error(`must have at most ${LEGAL_LINKS_MAX} links`);
  return links;
}

export function parseAccelPrefix(text: string): string {
  if (!/^\/([\w-][\w.-]*\/)+$/.test(text))
    throw new Error('must start and end with "/" and contain no "..", like /_dbdepot/objects/');
  return text;
}

export function parseInteger(text: string, minimum: number, maximum: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= minimum && value <= maximum)) {
    throw new Error(`must be a whole number from ${minimum} to ${maximum}, not "${text}"`);
  }
  return value;
}

export function parseRateLimit(text: string): RateLimit | null {
  if (text === "off") return null;
  const match = /^(\d{1,6})(?::(\d{1,6}))?$/.exec(text);
  const perSecond = Number(match?.[1] ?? 0);
  const burst = Number(match?.[2] ?? perSecond);
  if (perSecond < 1 || burst < 1) throw new Error(`must be <rate>:<burst>, like 50:500, or off, not "${text}"`);
  return { perSecond, burst };
}

export function parseChoice<const T extends string>(text: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw new Error(`must be one of ${choices.join(", ")}, not "${text}"`);
  return choice;
}

/** Whether the origin is reachable from this machine only. */
export function isLoopback(origin: string): boolean {
  const host = new URL(origin).hostname;
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

export function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
