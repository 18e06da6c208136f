import type { Format } from "@dbdepot/contract/formats";
import type { Build, BuildFile } from "../../builds/build.ts";
import { parameter } from "../query.ts";
import type { LegacyVisit } from "../route.ts";
import { decideLegacy, type LegacyRefusal, type LegacyVerdict } from "./decide.ts";

/** What the request names by `id`, judged for its key. */
export function judgeBuild(visit: LegacyVisit): LegacyVerdict {
  return judge(visit, false);
}

export type FileVerdict =
  | { granted: true; build: Build; file: BuildFile; format: Format }
  | { granted: false; refusal: LegacyRefusal };

/** What it names by `id` and `format`. */
export function judgeFile(visit: LegacyVisit): FileVerdict {
  const verdict = judge(visit, true);
  if (!verdict.granted) return verdict;
  const format = parameter(visit.request, "format") as Format;
  const file = verdict.build.files[format];
  // A build has a file for each format of its version: publication sees to that.
  return file ? { ...verdict, file, format } : { granted: false, refusal: "not_published" };
}

function judge({ parts, request, key }: LegacyVisit, needsFormat: boolean): LegacyVerdict {
  const id = parameter(request, "id");
  return decideLegacy({
    id,
    format: parameter(request, "format"),
    needsFormat,
    databaseIds: key.databaseIds,
    offer: id === undefined ? undefined : parts.register.offer(id),
  });
}
