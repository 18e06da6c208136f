import type { BuildFile, BuildSummary } from "../../domain/builds/build.ts";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import type { RefusedAttempt } from "../attempts.ts";
import type { KeyContext } from "../route.ts";
import { verdictForCurrent } from "../v2/verdict.ts";

export type CurrentFile =
  | { build: BuildSummary; file: BuildFile; open: boolean; refusal?: undefined }
  | { refusal: RefusedAttempt };

/** The MMDB file of the current build, by the same decision as in v2. */
export function currentFile(context: KeyContext, id: string): CurrentFile {
  const verdict = verdictForCurrent(context, id, "mmdb");
  if (!verdict.granted) return { refusal: { ...REFUSALS[verdict.refusal], cause: verdict.refusal } };
  const { build, open } = verdict;
  // Publication makes sure that a build has a file for each format of its version.
  if (!build.files.mmdb) return { refusal: { rc: "NOT_AVAILABLE", outcome: "unavailable", cause: "no_file" } };
  return { build, file: build.files.mmdb, open };
}
