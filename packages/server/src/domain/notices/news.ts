import { memoize } from "../../platform/cache/memoize.ts";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import type { Event } from "../events/event.ts";
import { KEY_NOTICE_DAYS } from "../keys/events.ts";
import type { Key } from "../keys/key.ts";
import { LICENCE_NOTICE_DAYS } from "../licences/events.ts";
import { isLive, type Licence } from "../licences/licence.ts";
import type { Tables } from "../store.ts";
import type { Webhook } from "../webhooks/webhook.ts";
import type { Notice, NoticeRegister, Urgency } from "./notice.ts";
import { DELAY_MS, requiredTermsNotices } from "./required-terms.ts";

/** After an outage or a pause, older news is left out, because a digest is not an archive. */
const OLDEST_MS = 7 * DAY_MS;
/** By then, the first event was lost, because no attempt to send it succeeded. */
const WEBHOOK_FAILING_MS = DAY_MS;

type Source = Pick<
  Tables,
  "events" | "licences" | "organizations" | "keys" | "requests" | "webhooks" | "destinations" | "audit" | "terms"
>;
type Describe = (event: Event, source: Source, register: NoticeRegister) => Promise<NoticeContent | undefined>;
type NoticeContent = Pick<Notice, "topic" | "text" | "urgency" | "paths">;

/** Describes events in a sentence. Events that someone has already acted on are left out. */
const DESCRIPTIONS: Record<string, Describe> = {
  "licence.ending": licenceNotice,
  "licence.ended": licenceNotice,
  "key.expiring": async ({ data }, { keys }) => {
    const key = await keys.byId(String(data.id));
    if (!key || key.revoked || key.expires?.toISOString() !== data.expires) return undefined;
    return keyNotice(key, `expires in ${data.days_left} days, on ${writtenDay(data.expires)}`, "soon");
  },
  "build.withdrawn": async ({ base, data }, _source, register) => {
    const reason = data.reason ? ` (${data.reason})` : "";
    // Another build may have been published since.
    const build = register.offer(String(data.id))?.build;
    const current = build ? `Downloads now return build ${build.id}` : "No build is available now";
    return {
      topic: "builds",
      urgency: "now",
      text: `build ${data.build_id} of ${data.id} was withdrawn${reason}. ${current}. Stop using the withdrawn files.`,
      paths: samePath(`/databases/${base}`),
    };
  },
  "access_request.created": async ({ base, data }, { requests }, register) => {
    const request = await requests.byId(String(data.id));
    if (request?.state !== "pending") return undefined;
    return {
      topic: "requests",
      urgency: "soon",
      text: `${request.person.email} asks for a licence for ${familyName(register, base)}.`,
      paths: samePath(`/requests?request=${request.id}`),
    };
  },
  "delivery.failed": async ({ data }, { destinations }) => {
    const destination = await destinations.byId(String(data.destination_id));
    if (!data.paused || destination?.paused?.reason !== "failing") return undefined;
    return {
      topic: "webhooks",
      urgency: "now",
      text: `deliveries to ${data.location} were paused, because none succeeded for 24 hours: ${data.error}. Test the destination, then continue its deliveries.`,
      paths: samePath(`/destinations/${destination.id}`),
    };
  },
  "limit.near": async ({ organizationId, data }) => {
    const { limit, used, allowed, resets } = data;
    const name = String(limit).replaceAll("_", " ");
    const numbers = `${Number(used).toLocaleString("en")} of ${Number(allowed).toLocaleString("en")}`;
    const end = typeof resets === "string" ? `. It resets on ${writtenDay(resets)} at ${resets.slice(11, 16)} UTC` : "";
    return {
      topic: "limits",
      urgency: "soon",
      text: `the limit on ${name} is nearly reached: ${numbers} used${end}.`,
      paths: { admin: "/databases", operator: `/organizations/${organizationId}` },
    };
  },
};

/** Everything of the last days that someone may have to be notified of, oldest first. */
export async function collectNews(source: Source, register: NoticeRegister, now: Date): Promise<Notice[]> {
  const since = new Date(now.getTime() - OLDEST_MS);
  const nameOf = memoize(async (id: string) => (await source.organizations.byId(id))?.name ?? id);
  const found: (NoticeContent & Pick<Notice, "organizationId" | "base" | "position" | "time">)[] = [];
  for (const event of await source.events.since(since, Object.keys(DESCRIPTIONS))) {
    const content = await DESCRIPTIONS[event.type]?.(event, source, register);
    const { organizationId, base, revision, id, created: time } = event;
    if (content) found.push({ ...content, organizationId, base, position: { revision, id }, time });
  }
  for (const key of await source.keys.expiring(since, now)) {
    // A key that only lived for hours was meant to expire.
    if (!key.expires || key.expires.getTime() - key.created.getTime() < Math.max(...KEY_NOTICE_DAYS) * DAY_MS) continue;
    const content = keyNotice(key, `expired on ${writtenDay(key.expires.toISOString())}`, "now");
    found.push({ ...content, organizationId: key.organizationId, base: null, position: null, time: key.expires });
  }
  for (const webhook of await source.webhooks.list()) {
    const content = webhookNotice(webhook, now);
    if (content) found.push({ ...content, organizationId: webhook.organizationId, base: null, position: null });
  }
  found.push(...(await lateLicenceNotices(source, register, { since, now })));
  found.push(...(await requiredTermsNotices(source, register, { since, now })));
  const named = found.map(async (notice) => ({
    ...notice,
    organizationName: notice.organizationId === null ? null : await nameOf(notice.organizationId),
  }));
  return (await Promise.all(named)).sort((one, other) => one.time.getTime() - other.time.getTime());
}

async function licenceNotice(
  { type, organizationId, base, data }: Event,
  _source: Source,
  register: NoticeRegister,
): Promise<NoticeContent | undefined> {
  const licences = register.licences(organizationId ?? "", base ?? "");
  const licence = licences.find(({ id }) => id === data.id);
  // It has been renewed since then, or another one was granted.
  if (!licence?.expires || licence.expires.toISOString() !== data.expires) return undefined;
  return endOfLicence(
    register,
    { ...licence, expires: licence.expires },
    type === "licence.ended" ? 0 : Number(data.days_left),
  );
}

/** Undefined if another licence continues it. */
function endOfLicence(
  register: NoticeRegister,
  { id, organizationId, base, expires }: Licence & { expires: Date },
  daysLeft: number,
): NoticeContent | undefined {
  const others = register.licences(organizationId, base).filter((other) => other.id !== id);
  if (others.some((other) => isLive(other, expires))) return undefined;
  const on = `on ${writtenDay(expires.toISOString())}`;
  const end = daysLeft === 0 ? `ended ${on}` : `ends in ${daysLeft === 1 ? "1 day" : `${daysLeft} days`}, ${on}`;
  return {
    topic: "licences",
    text: `the licence for ${familyName(register, base)} ${end}.`,
    urgency: urgencyOf(daysLeft),
    paths: { admin: "/licences", operator: `/organizations/${organizationId}` },
  };
}

/**
 * Licences that were added when a reminder should already have been sent, as by an import: there is no event for the last mark
 * before that, so the next digest mentions them. A licence for two weeks that was granted today is no news.
 */
async function lateLicenceNotices(
  source: Source,
  register: NoticeRegister,
  { since, now }: { since: Date; now: Date },
) {
  const before = new Date(now.getTime() + Math.max(...LICENCE_NOTICE_DAYS) * DAY_MS);
  const licences = await source.licences.list({ ending: { now, before } });
  return licences.flatMap((licence) => {
    const { organizationId, base, starts, created, expires } = licence;
    if (!expires || created <= since) return [];
    const marks = LICENCE_NOTICE_DAYS.map((days) => new Date(expires.getTime() - days * DAY_MS));
    const nearest = marks.filter((mark) => mark <= now).at(-1);
    if (!nearest || nearest >= created || nearest < starts) return [];
    const daysLeft = Math.ceil((expires.getTime() - now.getTime()) / DAY_MS);
    const content = endOfLicence(register, { ...licence, expires }, daysLeft);
    const time = new Date(created.getTime() + DELAY_MS);
    return content && time <= now ? [{ ...content, organizationId, base, position: null, time }] : [];
  });
}

/** An end within a week needs attention soon. */
function urgencyOf(daysLeft: number): Urgency {
  if (daysLeft === 0) return "now";
  return daysLeft <= 7 ? "soon" : "later";
}

function keyNotice({ name, prefix }: Key, what: string, urgency: Urgency): NoticeContent {
  return { topic: "keys", text: `the key “${name}” (${prefix}) ${what}.`, urgency, paths: samePath("/keys") };
}

/** Names the host only, because the rest of a URL may contain a secret. */
function webhookNotice({ id, url, description, disabled, progress }: Webhook, now: Date) {
  const name = `the webhook ${description === "" ? "" : `“${description}” `}at ${new URL(url).host}`;
  const base = { topic: "webhooks", urgency: "now", paths: samePath(`/webhooks/${id}`) } as const;
  if (disabled?.reason === "failing") {
    const text = `${name} was disabled, because it failed for a week. Enable it again when it works.`;
    return { ...base, text, time: disabled.at };
  }
  if (disabled?.reason === "gone") {
    return { ...base, text: `${name} was disabled, because it responded with 410 (gone).`, time: disabled.at };
  }
  const lost = progress.failingSince && new Date(progress.failingSince.getTime() + WEBHOOK_FAILING_MS);
  if (disabled || !lost || !progress.failingSince || lost > now) return undefined;
  const since = writtenDay(progress.failingSince.toISOString());
  return { ...base, text: `${name} has failed since ${since}, and events are being lost.`, time: lost };
}

function familyName(register: Pick<NoticeRegister, "family">, base: string | null): string {
  const family = base === null ? undefined : register.family(base);
  return family ? `${family.name} (${base})` : String(base);
}

function samePath(path: string): Notice["paths"] {
  return { admin: path, operator: path };
}

/** The day in UTC as people write it, such as "31 March 2027". */
function writtenDay(time: unknown): string {
  return new Date(String(time)).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
}
