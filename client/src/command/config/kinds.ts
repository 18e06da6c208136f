import { homedir } from "node:os";
import { resolve } from "node:path";
import { parseList } from "@dbdepot/terminal/values";
import type { Format } from "../../wire.ts";
import { FORMATS } from "../formats.ts";
import { parseDuration, showDuration } from "./duration.ts";
import { eachInLine } from "./line-faults.ts";
import { Secret } from "./secret.ts";
import type { TomlValue } from "./toml.ts";

/** What a setting can be: how it is read from text (environment, options) and from the config file, and shown. */
export interface Kind<T> {
  /** `folder` is what relative paths are relative to. Throws an error whose message says what is wrong. */
  fromText(text: string, folder: string): T;
  fromToml(value: TomlValue, folder: string): T;
  show(value: T): string;
}

/** Kinds that look the same in all three places: a text. */
function textKind<T>(read: (text: string, folder: string) => T, show: (value: T) => string = String): Kind<T> {
  return { fromText: read, fromToml: (value, folder) => read(requireString(value), folder), show };
}

export const address = textKind((text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error("this is no address like https://depot.example");
  if (url.username || url.password || url.search || url.hash) {
    throw new Error("the address must have no user, password, query or fragment");
  }
  return url.href.replace(/\/+$/, "");
});

/** What is wrong is said without repeating it. */
export const secret = textKind((text) => {
  const key = text.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error(key === "" ? "the key is empty" : "this is no key");
  return new Secret(key);
});

export const path = textKind((text, folder) => {
  if (text === "") throw new Error("the path is empty");
  return resolve(folder, text.replace(/^~(?=\/|$)/, homedir()));
});

export const shellCommand = textKind((text) => {
  if (text.trim() === "") throw new Error("the command is empty");
  return text;
});

export function duration(minimumMs: number): Kind<number> {
  return textKind((text) => {
    const durationMs = parseDuration(text);
    if (durationMs === undefined) throw new Error(`"${text}" is no time like "90s", "15m", "1h" or "2d"`);
    if (durationMs < minimumMs) throw new Error(`"${text}" is too short: at least ${showDuration(minimumMs)}`);
    return durationMs;
  }, showDuration);
}

export function choice<const T extends string>(choices: readonly T[]): Kind<T> {
  return textKind((text) => {
    const found = choices.find((candidate) => candidate === text);
    if (found === undefined) throw new Error(`"${text}" is none of ${choices.join(", ")}`);
    return found;
  });
}

export function integer(minimum: number, maximum: number): Kind<number> {
  const check = (value: number, shown: string) => {
    if (value >= minimum && value <= maximum) return value;
    throw new Error(`${shown} is no whole number from ${minimum} to ${maximum}`);
  };
  return {
    fromText: (text) => check(/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN, `"${text}"`),
    fromToml: (value) => {
      if (value.type !== "integer") throw new Error("this must be a whole number, without quotes");
      return check(value.value, String(value.value));
    },
    show: String,
  };
}

export const formats: Kind<Format[]> = {
  fromText: (text) => requireFormats(parseList(text)),
  fromToml: (value) => requireFormats(requireStrings(value)),
  show: (value) => value.join(", "),
};

export function requireString(value: TomlValue): string {
  if (value.type !== "string") throw new Error("this must be text in quotes");
  return value.value;
}

function requireStrings(value: TomlValue): string[] {
  if (value.type !== "array") throw new Error('this must be a list, like ["one", "two"]');
  return eachInLine(value.items, requireString);
}

function requireFormats(texts: readonly string[]): Format[] {
  if (texts.length === 0) throw new Error("at least one format is needed");
  return [...new Set(texts)].map((text) => {
    const format = FORMATS.find((candidate) => candidate === text);
    if (!format) throw new Error(`"${text}" is none of ${FORMATS.join(", ")}`);
    return format;
  });
}
