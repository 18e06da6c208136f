import { type ParsedUrlQuery, parse } from "node:querystring";
import type { Format } from "@dbdepot/contract/formats";
import { BoundedCache } from "../register/bounded-cache.ts";
import type { KnownOffer } from "../register/register.ts";
import { copyText } from "./copy-text.ts";
import type { Document } from "./document.ts";
import type { Found } from "./router.ts";
import type { Named, Redirect } from "./v2/named.ts";

const NOT_LOOKED_UP = -1;

/** What a request's first line asks for, and what that names. What every request looks at stands first, so that it lies together. */
export class Target implements Named {
  /** Where a GET goes, once one came. */
  found: Found | undefined = undefined;
  revision = NOT_LOOKED_UP;
  familyNumber: number | undefined = undefined;
  document: Document | undefined = undefined;
  redirect: Redirect | undefined = undefined;
  offer: KnownOffer | undefined = undefined;
  format: Format | undefined = undefined;
  buildId: string | string[] | undefined = undefined;
  readonly path: string;
  /** A name that is there twice has a list of values. */
  readonly query: Readonly<ParsedUrlQuery>;

  constructor(url: string) {
    const at = url.indexOf("?");
    this.path = at < 0 ? url : url.slice(0, at);
    this.query = at < 0 ? {} : parse(url.slice(at + 1));
  }
}

const KEPT_MAX = 20_000;
const KEPT_MAX_LENGTH = 200;

/**
 * Takes addresses apart. Customers ask for the same few again and again, so those are remembered; but for any that
 * holds a key, which nothing may remember.
 */
export class Targets {
  readonly #kept = new BoundedCache<string, Target>(KEPT_MAX);

  of(url: string): Target {
    const known = this.#kept.get(url);
    if (known) return known;
    const copy = copyText(url);
    const target = new Target(copy);
    if (copy.length <= KEPT_MAX_LENGTH && target.query.apikey === undefined) this.#kept.set(copy, target);
    return target;
  }
}
