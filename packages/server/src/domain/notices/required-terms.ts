import { MINUTE_MS } from "../../platform/primitives/dates.ts";
import type { AuditEntry } from "../audit/entry.ts";
import type { AuditFilter } from "../audit/store.ts";
import type { Licence } from "../licences/licence.ts";
import { termsToAccept } from "../licences/standing.ts";
import type { Tables } from "../store.ts";
import type { Notice, NoticeRegister } from "./notice.ts";

/** A change is committed a little after its time. It must not be missed by a digest that is written meanwhile. */
export const DELAY_MS = 5 * MINUTE_MS;
const PAGE_SIZE = 1000;
const NAMES_MAX = 3;

type Source = Pick<Tables, "audit" | "terms">;
type RequiredTerms = Pick<Licence, "organizationId"> & { termsId: string };

/**
 * Terms that keep an organization from downloading, if a licence has required them since the given time. Only the first
 * licence that ever required them counts, so that each version is announced only once.
 */
export async function requiredTermsNotices(
  source: Source,
  register: NoticeRegister,
  { since, now }: { since: Date; now: Date },
): Promise<Omit<Notice, "organizationName">[]> {
  const notices: Omit<Notice, "organizationName">[] = [];
  for (const { organizationId, termsId } of await requiredSince(source, since)) {
    const names = familiesThatNeed(register, { organizationId, termsId }, now);
    if (names.length === 0) continue;
    const first = await firstRequired(source, { organizationId, termsId });
    const time = first && new Date(first.getTime() + DELAY_MS);
    if (!time || time < since || time > now) continue;
    const [terms] = await source.terms.summaries([termsId]);
    const databases = names.length > NAMES_MAX ? `${names.length} databases` : LIST.format(names);
    const text = `the terms “${terms?.title}” (${termsId}) must be accepted before ${databases} can be downloaded.`;
    const paths = { admin: "/terms", operator: `/organizations/${organizationId}` };
    notices.push({ topic: "terms", urgency: "now", organizationId, base: null, position: null, time, text, paths });
  }
  return notices;
}

const LIST = new Intl.ListFormat("en");

async function requiredSince(source: Source, since: Date): Promise<Iterable<RequiredTerms>> {
  const found = new Map<string, RequiredTerms>();
  for await (const { after } of licenceEntries(source, { since })) {
    const { organizationId, termsId } = licenceIn(after);
    if (organizationId && termsId) found.set(`${organizationId} ${termsId}`, { organizationId, termsId });
  }
  return found.values();
}

async function firstRequired(source: Source, { organizationId, termsId }: RequiredTerms): Promise<Date | undefined> {
  let first: Date | undefined;
  const ofOrganization = { subjects: [organizationId], organizationIds: [organizationId] };
  for await (const { after, created } of licenceEntries(source, ofOrganization)) {
    if (licenceIn(after).termsId === termsId) first = created;
  }
  return first;
}

/** Entries of earlier versions have other fields. */
function licenceIn(state: unknown): Partial<Pick<Licence, "organizationId" | "termsId">> {
  return state ?? {};
}

/** The newest first. */
async function* licenceEntries({ audit }: Source, filter: Omit<AuditFilter, "limit">): AsyncGenerator<AuditEntry> {
  for (let before: string | undefined; ; ) {
    const page = await audit.list({ ...filter, action: "licence", before, limit: PAGE_SIZE });
    yield* page;
    before = page.at(-1)?.id;
    if (page.length < PAGE_SIZE) return;
  }
}

/** The families that can be downloaded once the terms are accepted, also if their licence starts later. */
function familiesThatNeed(register: NoticeRegister, { organizationId, termsId }: RequiredTerms, now: Date): string[] {
  const accepted = register.acceptedTerms(organizationId);
  return register.families
    .filter(({ family }) => {
      const licences = register.licences(organizationId, family.base);
      const starts = licences.filter((licence) => licence.termsId === termsId).map((licence) => licence.starts);
      const times = starts.map((start) => (start > now ? start : now));
      return (
        !family.open && !family.archived && times.some((time) => termsToAccept(licences, accepted, time) === termsId)
      );
    })
    .map(({ family }) => `${family.name} (${family.base})`);
}
