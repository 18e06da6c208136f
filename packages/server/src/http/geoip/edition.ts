import type { FastifyRequest } from "fastify";
import type { BuildFile, BuildSummary } from "../../domain/builds/build.ts";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import type { RefusedAttempt, RequestedFile } from "../attempts.ts";
import type { KeyContext } from "../route.ts";
import { verdictForCurrent } from "../v2/verdict.ts";

/** The file that an edition id names. geoipupdate downloads MMDB files only. */
export function edition(datasetId: string): RequestedFile {
  return { datasetId, format: "mmdb", sample: false };
}

export function idInPath({ params }: FastifyRequest): string {
  return (params as { id: string }).id;
}

/** The ids in a repeatable query parameter. */
export function editionIds({ query }: FastifyRequest): string[] {
  const { edition_id: ids } = query as { edition_id?: string | string[] };
  return [...new Set([ids ?? ""].flat())];
}

export function editionInPath(request: FastifyRequest): RequestedFile {
  return edition(idInPath(request));
}

export function editionInQuery(request: FastifyRequest): RequestedFile {
  return edition(editionIds(request)[0] ?? "");
}

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
