import { sampleOf } from "@dbdepot/contract/shared/formats";
import { type Database, type DatabaseList, licenseTypeOf } from "@dbdepot/contract/v2/catalogue";
import type { FastifyReply } from "fastify";
import type { Build } from "../../domain/builds/build.ts";
import { isVisible } from "../../domain/catalogue/visibility.ts";
import type { Licence } from "../../domain/licences/licence.ts";
import { standingOf } from "../../domain/licences/standing.ts";
import type { FamilyEntry } from "../../register/register.ts";
import type { KeyContext } from "../route.ts";

/** The whole catalogue, with the standing that a download is decided by. */
export async function list({ services, reply, organizationId, now }: KeyContext): Promise<FastifyReply> {
  const databases: Database[] = [];
  for (const { family, versions } of services.register.families) {
    const licences = services.register.licences(organizationId, family.base);
    const listed = versions.filter((version) => services.register.isListed(version));
    if (listed.length > 0 && isVisible(family, licences)) {
      databases.push(toWire({ family, versions: listed }, licences, now, (id) => services.register.offer(id)?.build));
    }
  }
  const body: DatabaseList = { databases };
  return reply.header("cache-control", "private, no-cache").send(body);
}

function toWire(
  { family, versions }: FamilyEntry,
  licences: readonly Licence[],
  now: Date,
  buildOf: (versionId: string) => Build | undefined,
): Database {
  const { standing, licence } = standingOf(licences, now);
  // A licence that has not begun grants nothing, so its terms are not shown.
  const shown = standing === "unlicensed" ? undefined : licence;
  return {
    base: family.base,
    name: family.name,
    summary: versions.at(-1)?.summary ?? "",
    standing,
    redistribution: shown?.redistribution ?? null,
    starts: shown?.starts.toISOString() ?? null,
    expires: shown?.expires?.toISOString() ?? null,
    versions: versions.map(({ id, number, summary, formats }) => ({
      id,
      version: number,
      summary,
      formats,
      sample_formats: formats.filter((format) => buildOf(id)?.files[sampleOf(format)]),
    })),
    license_type: shown ? licenseTypeOf(shown.redistribution) : null,
    renews_at: shown?.renewsAt?.toISOString() ?? null,
    notice_due_at: shown?.noticeDueAt?.toISOString() ?? null,
    open: family.open,
  };
}
