import { DATABASE_ID_MAX_LENGTH } from "@dbdepot/contract/database-id";
import { type Format, isFormat } from "@dbdepot/contract/formats";
import type { KnownOffer } from "../../register/register.ts";
import type { Document } from "../document.ts";
import { parameter } from "../query.ts";
import type { Ready } from "../ready.ts";
import type { Visit } from "../route.ts";

/** What an address names by `id`, `format` and `build`. */
export interface Named {
  readonly revision: number;
  readonly offer: KnownOffer | undefined;
  readonly format: Format | undefined;
  /** Several when it was given twice. */
  readonly buildId: string | string[] | undefined;
  /** The answer about the build, once it was given: there is one at most until something changes. */
  document: Document | undefined;
  /** The last redirect to its file, which is the same for all as long as the link is. */
  redirect: { location: string; ready: Ready } | undefined;
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
