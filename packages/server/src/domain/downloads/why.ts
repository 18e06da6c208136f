import type { Explanation, ExplanationStep } from "@dbdepot/contract/operator/why";
import { ERRORS } from "@dbdepot/contract/shared/errors";
import { FORMATS, type Format, sampleOf } from "@dbdepot/contract/shared/formats";
import { checkKey, KEY_PROBLEMS } from "../access/authenticate-key.ts";
import { requireOrganization } from "../access/find-organization.ts";
import type { Build } from "../builds/build.ts";
import type { Key } from "../keys/key.ts";
import { requireKey } from "../keys/keys.ts";
import { isLive, type Licence } from "../licences/licence.ts";
import { standingOf, termsToAccept } from "../licences/standing.ts";
import { decideUse, hasLimits, LIMIT_REFUSALS } from "../limits/limits.ts";
import { readConsumption } from "../limits/use.ts";
import { limitReason, limitsFinding } from "../limits/words.ts";
import type { Organization } from "../organizations/organization.ts";
import type { Store, Tables } from "../store.ts";
import type { Acceptance } from "../terms/terms.ts";
import { type DownloadRefusal, decide, type Offer, type Verdict } from "./decide.ts";
import { REFUSALS } from "./refusals.ts";

export interface WhyQuestion {
  organization: string;
  databaseId: string;
  format: Format | undefined;
  sample: boolean;
  key: string | undefined;
  now: Date;
}

/** Explains the response to a download with the same rules that decide it. */
export async function explain(
  tables: Tables & Pick<Store, "attempts" | "usage">,
  question: WhyQuestion,
): Promise<Explanation> {
  const { now } = question;
  const organization = await requireOrganization(tables, question.organization);
  const key = question.key === undefined ? undefined : await requireKey(tables, question.key);
  const offer = await findOffer(tables, question.databaseId);
  const licences = offer
    ? await tables.licences.list({ organizationId: organization.id, base: offer.family.base })
    : [];
  const limits = organization.limits;
  const used = hasLimits(limits) ? await readConsumption(tables, organization.id, now) : undefined;
  const acceptances = await tables.terms.acceptances({ organizationId: organization.id }, {});
  const acceptedTerms = new Set(acceptances.items.map(({ termsId }) => termsId));
  const facts = [
    { name: "organization", finding: `${organization.name} (${organization.id})` },
    ...(key ? [{ name: "key", finding: keyFinding(key, organization, now) }] : []),
    { name: "database", finding: offerFinding(offer, question.databaseId) },
    { name: "licence", finding: licenceFinding(licences, now) },
    ...termsFacts(licences, acceptances.items, now),
    ...(used ? [{ name: "limits", finding: limitsFinding(limits, used, now) }] : []),
  ];
  const stepsUntil = (failed?: Step) =>
    stepsOf(
      STEPS.filter((step) => (step !== "key" || key || failed === "key") && (step !== "limits" || used)),
      failed,
    );
  const refused = (rc: keyof typeof ERRORS, reason: string, failed: Step) => ({
    granted: false,
    status: ERRORS[rc].status,
    rc,
    reason,
    facts,
    steps: stepsUntil(failed),
  });
  if (organization.archived) {
    return refused(
      "UNAUTHORIZED",
      `the organization was archived on ${organization.archived.toISOString()}`,
      "organization",
    );
  }
  const problem = key && checkKey(key, { secretExpires: null, address: undefined, scope: "db.download", now });
  if (problem) return refused("UNAUTHORIZED", KEY_PROBLEMS[problem], "key");
  if (key && key.organizationId !== organization.id) {
    return refused("UNAUTHORIZED", "the key belongs to another organization: ask about that organization", "key");
  }
  const { format, sample } = question;
  const verdict: Verdict = decide(offer, { licences, acceptedTerms, format, sample, pinned: false, now });
  if (verdict.granted) {
    if (!key && !(await hasWorkingKey(tables, organization, now))) {
      return refused(
        "UNAUTHORIZED",
        "the organization has no working key with the scope db.download: create one",
        "key",
      );
    }
    const exceeded =
      used && !sample && decideUse(limits, used, { bytes: sizeOf(verdict.build, format), isDownload: true });
    if (exceeded) return refused(LIMIT_REFUSALS[exceeded].rc, limitReason(exceeded, limits, used, now), "limits");
    const reason = sample
      ? "the sample can be downloaded without a licence"
      : grantedReason(verdict.open, licences, now);
    return { granted: true, status: 302, rc: null, reason, facts, steps: stepsUntil() };
  }
  if (verdict.refusal === "terms_not_accepted") {
    const required = termsToAccept(licences, acceptedTerms, now);
    const reason = `the licence requires ${required}, which ${organization.name} has not accepted: one of its admins can accept it in the console, on the page /console/terms`;
    return refused("TERMS_NOT_ACCEPTED", reason, "terms");
  }
  const { rc, words } = REFUSALS[verdict.refusal];
  const upcoming = verdict.refusal === "not_licensed" ? standingOf(licences, now).licence : undefined;
  return refused(
    rc,
    upcoming ? `the licence begins on ${upcoming.starts.toISOString()}` : words,
    STEP_OF[verdict.refusal],
  );
}

type Step = ExplanationStep["name"];

/** The checks, in the order they are made. */
const STEPS: readonly Step[] = ["organization", "key", "database", "licence", "terms", "format", "build", "limits"];

const STEP_OF: Record<DownloadRefusal, Step> = {
  unknown_dataset: "database",
  not_licensed: "licence",
  licence_expired: "licence",
  terms_not_accepted: "terms",
  not_built: "format",
  unknown_build: "build",
  not_published: "build",
  no_sample: "build",
};

/** The size of the file, or of the smallest one if any format will do. */
function sizeOf({ files }: Build, format: Format | undefined): number {
  const sizes = (format ? [format] : FORMATS).flatMap((each) => files[each]?.sizeBytes ?? []);
  return Math.min(...sizes);
}

function stepsOf(steps: readonly Step[], failed: Step | undefined): ExplanationStep[] {
  const end = failed === undefined ? steps.length : steps.indexOf(failed);
  return steps.map((name, index) => ({
    name,
    result: index < end ? "passed" : index === end ? "failed" : "not_checked",
  }));
}

function grantedReason(open: boolean, licences: readonly Licence[], now: Date): string {
  const isLicensed = standingOf(licences, now).standing === "licensed";
  return open && !isLicensed
    ? "the download works without a licence, because the family is open"
    : "the download works";
}

async function hasWorkingKey({ keys }: Tables, { id }: Organization, now: Date): Promise<boolean> {
  const found = await keys.list({ organizationId: id });
  return found.some((key) => !checkKey(key, { secretExpires: null, address: undefined, scope: "db.download", now }));
}

async function findOffer(tables: Tables, databaseId: string): Promise<Offer | undefined> {
  const version = await tables.versions.byId(databaseId);
  const family = version && (await tables.families.byBase(version.base));
  if (!version || !family) return undefined;
  const build = version.currentBuildId === null ? undefined : await tables.builds.byId(version.currentBuildId);
  return { family, version, build };
}

function keyFinding(key: Key, organization: Organization, now: Date): string {
  const problem = checkKey(key, { secretExpires: null, address: undefined, scope: "db.download", now });
  const owner = key.organizationId === organization.id ? "of this organization" : "not of this organization";
  const places = key.cidrs.length === 0 ? "from anywhere" : `only from ${key.cidrs.join(", ")}`;
  return `${key.prefix} "${key.name}", ${owner}, ${problem ? KEY_PROBLEMS[problem] : "works"}, ${places}`;
}

function offerFinding(offer: Offer | undefined, databaseId: string): string {
  if (!offer) return `there is no version ${databaseId}`;
  const { family, version, build } = offer;
  const published = build ? `build ${build.id} of ${build.updated}` : "no build published";
  const samples = version.formats.filter((format) => build?.files[sampleOf(format)]);
  const sampled = samples.length > 0 ? `, with a sample as ${samples.join(" and ")}` : "";
  const archived = family.archived ? ", the family is archived" : version.archived ? ", archived" : "";
  return `${version.id} of the ${family.open ? "open" : family.visibility} family ${family.base}, as ${version.formats.join(" and ")}, ${published}${sampled}${archived}`;
}

function licenceFinding(licences: readonly Licence[], now: Date): string {
  const { standing, licence } = standingOf(licences, now);
  if (!licence) return "none";
  const start = `${standing === "unlicensed" ? "begins on" : "from"} ${licence.starts.toISOString()}`;
  const end = licence.expires === null ? "with no end" : `until ${licence.expires.toISOString()}`;
  const renewal = licence.renewsAt ? `, the contract renews on ${licence.renewsAt.toISOString()}` : "";
  const notice = licence.noticeDueAt ? `, notice is due by ${licence.noticeDueAt.toISOString()}` : "";
  return `${standing}: ${licence.id}, ${licence.redistribution}, ${start} ${end}${renewal}${notice}`;
}

/** The terms that the live licences require. No fact if they require none. */
function termsFacts(licences: readonly Licence[], acceptances: readonly Acceptance[], now: Date) {
  const live = licences.filter((licence) => isLive(licence, now));
  const required = new Set(live.flatMap(({ termsId }) => termsId ?? []));
  const findings = [...required].map((id) => {
    const acceptance = acceptances.find(({ termsId }) => termsId === id);
    if (!acceptance) return `${id}, not accepted`;
    const { name, email, created } = acceptance;
    return `${id}, accepted by ${name ? `${name} (${email})` : email} on ${created.toISOString()}`;
  });
  return findings.length > 0 ? [{ name: "terms", finding: findings.join("; ") }] : [];
}
