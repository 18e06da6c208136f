import type { FastifyRequest } from "fastify";
import type { Asked } from "../attempts.ts";

/** geoipupdate knows MMDB files only. */
export function askedFor(datasetId: string): Asked {
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

export function askedInPath(request: FastifyRequest): Asked {
  return askedFor(idInPath(request));
}

export function askedInQuery(request: FastifyRequest): Asked {
  return askedFor(editionIds(request)[0] ?? "");
}
