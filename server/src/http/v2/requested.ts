import type { Format } from "@dbdepot/contract/formats";
import type { Build } from "../../builds/build.ts";
import { decide, type Verdict } from "../../downloads/decide.ts";
import type { Visit } from "../route.ts";
import type { Named } from "./named.ts";

/**
 * What the request names, judged for the caller. Download, checksum
 * and metadata all come through here. It waits only for a pinned build that nobody has
 * asked for lately.
 */
export function judge(
  { parts, caller, now }: Visit,
  { offer, buildId }: Named,
  format: Format | undefined,
): Verdict | Promise<Verdict> {
  const licences = offer ? parts.register.licencesFor(caller, offer) : [];
  if (!offer || buildId === undefined) return decide(offer, { licences, format, pinned: false, now });
  const judgePinned = (build: Build | undefined) =>
    decide({ ...offer, build }, { licences, format, pinned: true, now });
  // Given twice it names no build.
  if (typeof buildId !== "string") return judgePinned(undefined);
  return parts.register.pinnedBuild(offer.version.id, buildId).then(judgePinned);
}
