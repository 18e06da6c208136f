import { DATABASE_ID_MAX_LENGTH } from "@dbdepot/contract/database-id";
import { type Format, isFormat } from "@dbdepot/contract/formats";
import type { AttemptResult } from "../../downloads/attempt.ts";
import type { KnownOffer } from "../../register/register.ts";
import type { Document } from "../document.ts";
import { parameter } from "../query.ts";
import type { Ready, ReadyHeader } from "../ready.ts";
import type { Visit } from "../route.ts";

/** How all downloads of a file are answered, and what they leave in the history. */
export interface Redirect {
  readonly ready: Ready;
  readonly result: AttemptResult;
  /** The link as it was in a second: all that are made within it are the same. */
  second: number;
  location: ReadyHeader;
}

/** What an address names by `id`, `format` and `build`. */
export interface Named {
  readonly revision: number;
  readonly offer: KnownOffer | undefined;
  readonly format: Format | undefined;
  /** Several when it was given twice. */
  readonly buildId: string | string[] | undefined;
  /** The answer about the build, once it was given: there is one at most until something changes. */
  document: Document | undefined;
  redirect: Redirect | undefined;
}

/** Kept with the address until something changes: with a thousand families, to look it up again took a fifth of our time. */
export function namedBy({ parts: { register }, request }: Visit): Named {
  const { target } = request;
  if (target.named?.revision === register.revision) return target.named;
  const id = parameter(request, "id") ?? "";
  const format = parameter(request, "format");
  target.named = {
    revision: register.revision,
    offer: id.length <= DATABASE_ID_MAX_LENGTH ? register.offer(id) : undefined,
    format: isFormat(format) ? format : undefined,
    buildId: request.query.build,
    document: undefined,
    redirect: undefined,
  };
  return target.named;
}
