import { DATABASE_ID_MAX_LENGTH } from "@dbdepot/contract/database-id";
import type { Format } from "@dbdepot/contract/formats";
import { decide, type Verdict } from "../../downloads/decide.ts";
import { standingOf } from "../../licences/standing.ts";
import { parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";

/**
 * Decides whether the caller may have what `id` and `build` name. Download, checksum and metadata all ask here.
 * `format` is undefined for metadata, which covers every format.
 */
export async function verdictFor(context: KeyContext, format: Format | undefined): Promise<Verdict> {
  const { services, request, organizationId, now } = context;
  const id = parameter(request, "id") ?? "";
  const offer = id.length <= DATABASE_ID_MAX_LENGTH ? services.register.offer(id) : undefined;
  const licences = offer ? services.register.licences(organizationId, offer.family.base) : [];
  const { build: buildId } = request.query as { build?: string | string[] };
  if (!offer || buildId === undefined) return decide(offer, { licences, format, pinned: false, now });
  // Only callers who may download it may cause a lookup. A repeated parameter names no build.
  const mayDownload = offer.family.open || standingOf(licences, now).standing === "licensed";
  const isLookedUp = typeof buildId === "string" && mayDownload;
  const build = isLookedUp ? await services.register.pinnedBuild(offer.version.id, buildId) : undefined;
  return decide({ ...offer, build }, { licences, format, pinned: true, now });
}
