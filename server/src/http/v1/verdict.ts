import type { Format } from "@dbdepot/contract/formats";
import type { Build, BuildFile } from "../../builds/build.ts";
import { decideLegacy, type LegacyRefusal, type LegacyVerdict } from "../../downloads/decide-legacy.ts";
import { parameter } from "../query.ts";
import type { LegacyKeyContext } from "../route.ts";

export type FileVerdict =
  | { granted: true; build: Build; file: BuildFile; kind: Format }
  | { granted: false; refusal: LegacyRefusal };

/** Decides whether the key may have the build that `id` names. */
export function verdictForBuild(context: LegacyKeyContext): LegacyVerdict {
  return verdictFor(context, false);
}

/** Decides whether the key may have the file that `id` and `format` name. */
export function verdictForFile(context: LegacyKeyContext): FileVerdict {
  const verdict = verdictFor(context, true);
  if (!verdict.granted) return verdict;
  const format = parameter(context.request, "format") as Format;
  const file = verdict.build.files[format];
  // Publication makes sure that a build has a file for each format of its version.
  return file ? { ...verdict, file, kind: format } : { granted: false, refusal: "not_published" };
}

function verdictFor({ services, request, key }: LegacyKeyContext, needsFormat: boolean): LegacyVerdict {
  const id = parameter(request, "id");
  return decideLegacy({
    id,
    format: parameter(request, "format"),
    needsFormat,
    databaseIds: key.databaseIds,
    offer: id === undefined ? undefined : services.register.offer(id),
  });
}
