import { DATABASE_ID_MAX_LENGTH } from "@dbdepot/contract/database-id";
import { type Format, isFormat } from "@dbdepot/contract/formats";
import type { Asked, AttemptResult } from "../../downloads/attempt.ts";
import type { Verdict } from "../../downloads/decide.ts";
import type { KnownOffer } from "../../register/register.ts";
import type { Document } from "../document.ts";
import { parameter } from "../query.ts";
import type { Ready, ReadyHeader } from "../ready.ts";
import type { Visit } from "../route.ts";

/** How all downloads of a file are answered, and what they leave in the history. */
export interface Redirect {
  readonly ready: Ready;
  readonly asked: Asked;
  readonly result: AttemptResult;
  /** The link, and its date: as long as that stays, so does the link. */
  datedMs: number;
  location: ReadyHeader;
}

/** What an address names by `id`, `format` and `build`. */
export interface Named {
  readonly revision: number;
  readonly offer: KnownOffer | undefined;
  /** The offer's, at hand. */
  readonly familyNumber: number | undefined;
  readonly format: Format | undefined;
  /** Several when it was given twice. */
  readonly buildId: string | string[] | undefined;
  /** What those get who have a licence, unless a build is pinned. */
  verdict: Verdict | undefined;
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
  const offer = id.length <= DATABASE_ID_MAX_LENGTH ? register.offer(id) : undefined;
  target.named = {
    revision: register.revision,
    offer,
    familyNumber: offer?.familyNumber,
    format: isFormat(format) ? format : undefined,
    buildId: request.query.build,
    verdict: undefined,
    document: undefined,
    redirect: undefined,
  };
  return target.named;
}
