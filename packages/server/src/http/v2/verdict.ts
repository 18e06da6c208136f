import { DATABASE_ID_MAX_LENGTH } from "@dbdepot/contract/shared/database-id";
import type { Format } from "@dbdepot/contract/shared/formats";
import { decide, type Question, type Verdict } from "../../domain/downloads/decide.ts";
import { isSampleRequest, parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";

/**
 * Decides whether the caller may have what `id` and `build` name. Download, checksum and metadata all use it.
 * `format` is undefined for metadata, which covers every format.
 */
export async function verdictFor(context: KeyContext, format: Format | undefined): Promise<Verdict> {
  const { build } = context.request.query as { build?: unknown };
  // The metadata document describes the full files, so it needs a licence.
  const sample = format !== undefined && isSampleRequest(context.request);
  return verdictOnBuild(context, { format, sample }, build);
}

/** `buildId` is the parameter that pins a build; undefined for the current one. */
export async function verdictOnBuild(
  context: KeyContext,
  requested: Pick<Question, "format" | "sample">,
  buildId: unknown,
): Promise<Verdict> {
  const { services, request } = context;
  const { offer, question } = questionAbout(context, parameter(request, "id") ?? "", requested);
  if (!offer || buildId === undefined) return decide(offer, { ...question, pinned: false });
  // Only callers who may download the build cause a lookup. A repeated parameter matches no build.
  const verdict = decide({ ...offer, build: undefined }, { ...question, pinned: true });
  if (verdict.granted || verdict.refusal !== "unknown_build" || typeof buildId !== "string") return verdict;
  const build = await services.register.pinnedBuild(offer.version.id, buildId);
  return decide({ ...offer, build }, { ...question, pinned: true });
}

/** Decides whether the caller may have the file of the current build. */
export function verdictForCurrent(context: KeyContext, id: string, format: Format): Verdict {
  const { offer, question } = questionAbout(context, id, { format, sample: false });
  return decide(offer, { ...question, pinned: false });
}

/** Decides whether the caller may read the table of this version. Without one, the version does not exist for Delta Sharing. */
export function verdictForTable(context: KeyContext, id: string): Verdict {
  const { offer, question } = questionAbout(context, id, { format: "csvgz", sample: false });
  return decide(offer?.version.tables ? offer : undefined, { ...question, pinned: false });
}

/** Collects offer, licences and accepted terms from the register. */
function questionAbout(context: KeyContext, id: string, requested: Pick<Question, "format" | "sample">) {
  const { services, organizationId, now } = context;
  const offer = id.length <= DATABASE_ID_MAX_LENGTH ? services.register.offer(id) : undefined;
  const licences = offer ? services.register.licences(organizationId, offer.family.base) : [];
  const acceptedTerms = services.register.acceptedTerms(organizationId);
  return { offer, question: { ...requested, licences, acceptedTerms, now } };
}
