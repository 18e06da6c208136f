import { sampleOf } from "@dbdepot/contract/shared/formats";
import { type Database, licenseTypeOf } from "@dbdepot/contract/v2/catalogue";
import type { BuildSummary } from "../builds/build.ts";
import type { Family } from "../catalogue/family.ts";
import type { Version } from "../catalogue/version.ts";
import type { AcceptedTerms } from "../terms/terms.ts";
import type { Licence } from "./licence.ts";
import { standingOf, termsToAccept } from "./standing.ts";

interface Listed {
  family: Family;
  versions: readonly Version[];
  /** All licences of the organization for the family. */
  licences: readonly Licence[];
  acceptedTerms: AcceptedTerms;
  buildOf(versionId: string): BuildSummary | undefined;
}

/** An entry of the list of databases, with the standing that a download is decided by. */
export function databaseToWire({ family, versions, licences, acceptedTerms, buildOf }: Listed, now: Date): Database {
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
    terms_to_accept: family.open ? null : termsToAccept(licences, acceptedTerms, now),
  };
}
