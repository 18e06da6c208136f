import type { Database } from "@dbdepot/contract/catalogue";
import { isVisible } from "../../catalogue/visibility.ts";
import { standingOf } from "../../licences/standing.ts";
import type { FamilyEntry } from "../../register/register.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";

/** The whole catalogue, with the standing that a download would find too. */
export function list(visit: Visit): Reply {
  const databases = visit.parts.register.families.flatMap((entry) => databaseOf(entry, visit) ?? []);
  return visit.reply.header("cache-control", "private, no-cache").send({ databases });
}

function databaseOf({ family, versions }: FamilyEntry, visit: Visit): Database | undefined {
  const newest = versions.at(-1);
  const licences = visit.parts.register.licences(visit.organizationId, family.base);
  if (!newest || !isVisible(family, licences)) return undefined;
  const { standing, licence } = standingOf(licences, visit.now);
  return {
    base: family.base,
    name: family.name,
    summary: newest.summary,
    standing,
    redistribution: licence?.redistribution ?? null,
    starts: licence?.starts.toISOString() ?? null,
    expires: licence?.expires?.toISOString() ?? null,
    versions: versions.map(({ id, number, summary, formats }) => ({ id, version: number, summary, formats })),
  };
}
