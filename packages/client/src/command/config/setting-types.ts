import { homedir } from "node:os";
import { resolve } from "node:path";
import { parsePublicKey } from "@dbdepot/formats/minisign";
import { formatDuration, parseDuration } from "@dbdepot/terminal/duration";
import { parseList } from "@dbdepot/terminal/values";
import type { Format } from "../../api/wire.gen.ts";
import { FORMATS } from "../formats.ts";
import { Secret } from "./secret.ts";

/** How a setting is read from options and variables, read from the config file, and shown. */
export interface SettingType<T> {
  /** Relative paths are resolved against `directory`. Throws an error that explains the problem. */
  fromText(text: string, directory: string): T;
  fromToml(value: unknown, directory: string): T;
  show(value: T): string;
}

/** A setting that is a string everywhere. */
function stringType<T>(
  parse: (text: string, directory: string) => T,
  show: (value: T) => string = String,
): SettingType<T> {
  return { fromText: parse, fromToml: (value, directory) => parse(requireString(value), directory), show };
}

export const url = stringType((text) => {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new Error("must be a URL such as https://depot.example");
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new Error("must not contain a user, password, query or fragment");
  }
  return parsed.href.replace(/\/+$/, "");
});

/** The messages do not repeat the value. */
export const secret = stringType((text) => {
  const key = text.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error(key === "" ? "the key is empty" : "not a key");
  return new Secret(key);
});

export const path = stringType((text, directory) => {
  if (text === "") throw new Error("the path is empty");
  return resolve(directory, text.replace(/^~(?=\/|$)/, homedir()));
});

/** A directory, or the URL of one. */
export const mirror = stringType((text, directory) =>
  /^https?:/.test(text) ? url.fromText(text, directory) : path.fromText(text, directory),
);

export const shellCommand = stringType((text) => {
  if (text.trim() === "") throw new Error("the command is empty");
  return text;
});

export function duration(minimumMs: number): SettingType<number> {
  return stringType((text) => {
    const durationMs = parseDuration(text);
    if (durationMs === undefined) throw new Error(`"${text}" is not a duration such as "90s", "15m", "1h" or "2d"`);
    if (durationMs < minimumMs) throw new Error(`"${text}" is too short: the minimum is ${formatDuration(minimumMs)}`);
    return durationMs;
  }, formatDuration);
}

export function choice<const T extends string>(choices: readonly T[]): SettingType<T> {
  return stringType((text) => requireChoice(text, choices));
}

export function integer(minimum: number, maximum: number): SettingType<number> {
  const check = (value: number, shown: string) => {
    if (value >= minimum && value <= maximum) return value;
    throw new Error(`${shown} is not a whole number from ${minimum} to ${maximum}`);
  };
  return {
    fromText: (text) => check(/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN, `"${text}"`),
    fromToml: (value) => {
      if (!Number.isInteger(value)) throw new Error("must be a whole number without quotes");
      return check(value as number, String(value));
    },
    show: String,
  };
}

export const formats: SettingType<Format[]> = {
  fromText: (text) => requireFormats(parseList(text)),
  fromToml: (value) => requireFormats(requireArray(value, '["mmdb", "csvgz"]').map(requireString)),
  show: (value) => value.join(", "),
};

export const publicKeys: SettingType<string[]> = {
  fromText: (text) => requireKeys(parseList(text)),
  fromToml: (value) =>
    requireKeys(typeof value === "string" ? [value] : requireArray(value, '["RW…"]').map(requireString)),
  show: (value) => value.join(", "),
};

function requireKeys(texts: readonly string[]): string[] {
  if (texts.length === 0) throw new Error("needs at least one public key");
  return texts.map((text) => {
    const key = parsePublicKey(text);
    if (!key) throw new Error("not a minisign public key, which has 56 characters and begins with RW");
    return key.text;
  });
}

export function requireString(value: unknown): string {
  if (typeof value !== "string") throw new Error("must be a string in quotes");
  return value;
}

export function requireArray(value: unknown, example: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`must be a list, like ${example}`);
  return value;
}

function requireFormats(names: readonly string[]): Format[] {
  if (names.length === 0) throw new Error("needs at least one format");
  return [...new Set(names)].map((name) => requireChoice(name, FORMATS));
}

function requireChoice<const T extends string>(text: string, choices: readonly T[]): T {
  const found = choices.find((candidate) => candidate === text);
  if (found === undefined) throw new Error(`"${text}" is not one of ${choices.join(", ")}`);
  return found;
}
