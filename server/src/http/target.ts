import { type ParsedUrlQuery, parse } from "node:querystring";
import { BoundedCache } from "../register/bounded-cache.ts";
import { copyText } from "./copy-text.ts";

/** What a request's first line asks for. */
export interface Target {
  readonly path: string;
  /** A name that is there twice has a list of values. */
  readonly query: Readonly<ParsedUrlQuery>;
}

const KEPT_MAX = 20_000;
const KEPT_MAX_LENGTH = 200;

const kept = new BoundedCache<string, Target>(KEPT_MAX);

/**
 * Takes an address apart. Customers ask for the same few again and again, so those are remembered; but for any that
 * holds a key, which nothing may remember.
 */
export function parseTarget(url: string): Target {
  const known = kept.get(url);
  if (known) return known;
  const copy = copyText(url);
  const at = copy.indexOf("?");
  const target = at < 0 ? { path: copy, query: {} } : { path: copy.slice(0, at), query: parse(copy.slice(at + 1)) };
  if (copy.length <= KEPT_MAX_LENGTH && target.query.apikey === undefined) kept.set(copy, target);
  return target;
}
