import { DATABASE_ID_MAX_LENGTH } from "@dbdepot/contract/database-id";
import { type Format, isFormat } from "@dbdepot/contract/formats";
import type { Asked, AttemptResult } from "../../downloads/attempt.ts";
import type { KnownOffer } from "../../register/register.ts";
import type { Document } from "../document.ts";
import { parameter } from "../query.ts";
import type { Ready, ReadyHeader } from "../ready.ts";
import type { Visit } from "../route.ts";

/** How all downloads of a file are answered, and what they leave in the history. */
export interface Redirect {
  readonly ready: Ready;
  readonly attempt: Asked & AttemptResult;
  /** The link, and its date: as long as that stays, so does the link. */
  datedMs: number;
  location: ReadyHeader;
}

/**
 * What an address names by `id`, `format` and `build`. It is kept with the address until something changes: with a
 * thousand families, to look it up again took a fifth of our time.
 */
export interface Named {
  /** The register's, as of which this is known. */
  revision: number;
  /** The offer's, at hand. */
  familyNumber: number | undefined;
  /** The answer about the build to all who have a licence, once it was given: there is one at most until something changes. */
  document: Document | undefined;
  /** The same for downloads. */
  redirect: Redirect | undefined;
  offer: KnownOffer | undefined;
  format: Format | undefined;
  /** Several when it was given twice. */
  buildId: string | string[] | undefined;
}

export function namedBy({ parts: { register }, request }: Visit): Named {
  const named: Named = request.target;
  if (named.revision === register.revision) return named;
  const id = parameter(request, "id") ?? "";
  const format = parameter(request, "format");
  named.revision = register.revision;
  named.offer = id.length <= DATABASE_ID_MAX_LENGTH ? register.offer(id) : undefined;
  named.familyNumber = named.offer?.familyNumber;
  named.format = isFormat(format) ? format : undefined;
  named.buildId = request.query.build;
  named.document = undefined;
  named.redirect = undefined;
  return named;
}
