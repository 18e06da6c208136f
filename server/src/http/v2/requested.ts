import type { Format } from "@dbdepot/contract/formats";
import type { Build } from "../../builds/build.ts";
import { decideLicensed, refusalWithout, refuse, type Verdict } from "../../downloads/decide.ts";
import type { Visit } from "../route.ts";
import type { Named } from "./named.ts";

/**
 * What the request names, judged for the caller. Download, checksum
 * and metadata all come through here. It waits only for a pinned build that nobody has
 * asked for lately.
 */
export function judge(
  { parts, caller, now }: Visit,
  named: Named,
  format: Format | undefined,
): Verdict | Promise<Verdict> {
  const { offer, familyNumber, buildId } = named;
  if (!offer) return refuse("unknown_dataset");
  const refusal = refusalWithout(offer, parts.register.licencesFor(caller, offer, familyNumber), now);
  if (refusal) return refuse(refusal);
  if (buildId === undefined) {
    named.verdict ??= decideLicensed(offer, { format, pinned: false });
    return named.verdict;
  }
  const judgePinned = (build: Build | undefined) => decideLicensed({ ...offer, build }, { format, pinned: true });
  // Given twice it names no build.
  if (typeof buildId !== "string") return judgePinned(undefined);
  return parts.register.pinnedBuild(offer.version.id, buildId).then(judgePinned);
}
