import { EDITIONS_MAX, type GeoipMetadata } from "@dbdepot/contract/geoip/editions";
import type { FastifyReply } from "fastify";
import { newId } from "../../platform/primitives/ids.ts";
import { type RefusedAttempt, recordRefusal, requesterOf } from "../attempts.ts";
import { sendError } from "../errors.ts";
import type { KeyContext } from "../route.ts";
import { currentFile, edition, editionIds } from "./edition.ts";

/** A request costs one token of the rate limit, so it must not fill the history. */
const REFUSALS_RECORDED_MAX = 10;

/**
 * Sends date and MD5 of the current builds. If none of them is granted, it responds with the first refusal. geoipupdate
 * stops there, so refusals are recorded in the history here, the first of them if there are many.
 */
export async function metadata(context: KeyContext): Promise<FastifyReply> {
  const { request, reply } = context;
  const ids = editionIds(request);
  if (ids.length > EDITIONS_MAX) return sendError(reply, "INVALID_REQUEST");
  const databases: GeoipMetadata["databases"] = [];
  const refusals: { id: string; refusal: RefusedAttempt }[] = [];
  for (const id of ids) {
    const found = currentFile(context, id);
    if (found.refusal) {
      refusals.push({ id, refusal: found.refusal });
    } else {
      const { build, file } = found;
      databases.push({ edition_id: id, md5: file.checksums.md5, date: build.updated });
    }
  }
  await Promise.all(
    refusals.slice(0, REFUSALS_RECORDED_MAX).map(({ id, refusal }, index) => {
      const requested = { ...edition(id), ...(index > 0 && { id: newId(context.now) }) };
      return recordRefusal(context, "v2", requesterOf(context), refusal, requested);
    }),
  );
  const [first] = refusals;
  if (first && databases.length === 0) return sendError(reply, first.refusal.rc);
  return reply.header("cache-control", "private, no-cache").send({ databases } satisfies GeoipMetadata);
}
