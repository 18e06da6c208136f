import { DATABASE_ID_MAX_LENGTH } from "@dbdepot/contract/database-id";
import type { Format } from "@dbdepot/contract/formats";
import type { Build } from "../../builds/build.ts";
import { decide, type Verdict } from "../../downloads/decide.ts";
import { parameter } from "../query.ts";
import type { Visit } from "../route.ts";

/**
 * What the request names by `id` and `build`, judged for the caller. Download, checksum
 * and metadata all come through here. It waits only for a pinned build that nobody has
 * asked for lately.
 */
export function judge(visit: Visit, format: Format | undefined): Verdict | Promise<Verdict> {
  const { parts, request, caller, now } = visit;
  const id = parameter(request, "id") ?? "";
  const offer = id.length <= DATABASE_ID_MAX_LENGTH ? parts.register.offer(id) : undefined;
  const licences = offer ? parts.register.licencesFor(caller, offer) : [];
  const buildId = request.query.build;
  if (!offer || buildId === undefined) return decide(offer, { licences, format, pinned: false, now });
  const judgePinned = (build: Build | undefined) =>
    decide({ ...offer, build }, { licences, format, pinned: true, now });
  // Given twice it names no build.
  if (typeof buildId !== "string") return judgePinned(undefined);
  return parts.register.pinnedBuild(id, buildId).then(judgePinned);
}
