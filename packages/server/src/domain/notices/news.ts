import { memoize } from "../../platform/cache/memoize.ts";
import type { Event } from "../events/event.ts";
import { KEY_NOTICE_DAYS } from "../keys/events.ts";
import type { Key } from "../keys/key.ts";
import { isLive } from "../licences/licence.ts";
import type { Tables } from "../store.ts";
import type { Webhook } from "../webhooks/webhook.ts";
import type { Holdings, Notice } from "./notice.ts";
import { requiredTermsNotices } from "./required-terms.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** After an outage or a pause, older news is left out, because a digest is not an archive. */
const OLDEST_MS = 7 * DAY_MS;
/** By then, the first event was lost, because no attempt to send it succeeded. */
const WEBHOOK_FAILING_MS = DAY_MS;

type Source = Pick<Tables, "events" | "organizations" | "keys" | "requests" | "webhooks" | "audit" | "terms">;
type Describe = (event: Event, source: Source, register: Holdings) => Promise<Told | undefined>;
type Told = Pick<Notice, "topic" | "text" | "paths">;

/** Describes events in a sentence. Events that someone has already acted on are left out. */
const DESCRIPTIONS: Record<string, Describe> = {
  "licence.ending": licenceNotice,
  "licence.ended": licenceNotice,
  "key.expiring": async ({ data }, { keys }) => {
    const key = await keys.byId(String(data.id));
    if (!key || key.revoked || key.expires?.toISOString() !== data.expires) return undefined;
    return keyNotice(key, `expires in ${data.days_left} days, on ${dayOf(data.expires)}`);
  },
  "build.withdrawn": async ({ base, data }) => {
    const reason = data.reason ? ` (${data.reason})` : "";
    const current = data.current_build_id
      ? `Downloads now return build ${data.current_build_id}`
      : "No build is available now";
    return {
      topic: "builds",
      text: `build ${data.build_id} of ${data.id} was withdrawn${reason}. ${current}. Stop using the withdrawn files.`,
      paths: samePath(`/databases/${base}`),
    };
  },
  "access_request.created": async ({ base, data }, { requests }, register) => {
    const request = await requests.byId(String(data.id));
    if (request?.state !== "pending") return undefined;
    return {
      topic: "requests",
      text: `${request.person.email} asks for a licence for ${familyName(register, base)}.`,
      paths: samePath(`/requests?request=${request.id}`),
    };
  },
  "limit.near": async ({ organizationId, data }) => {
    const { limit, used, allowed, resets } = data;
    const name = String(limit).replaceAll("_", " ");
    const numbers = `${Number(used).toLocaleString("en")} of ${Number(allowed).toLocaleString("en")}`;
    const end = typeof resets === "string" ? `. It resets on ${dayOf(resets)} at ${resets.slice(11, 16)} UTC` : "";
    return {
      topic: "limits",
      text: `the limit on ${name} is nearly reached: ${numbers} used${end}.`,
      paths: { admin: "/databases", operator: `/organizations/${organizationId}` },
    };
  },
};

/** Everything of the last days that someone may have to be notified of, oldest first. */
export async function collectNews(source: Source, register: Holdings, now: Date): Promise<Notice[]> {
  const since = new Date(now.getTime() - OLDEST_MS);
  const nameOf = memoize(async (id: string) => (await source.organizations.byId(id))?.name ?? id);
  const found: (Told & Pick<Notice, "organizationId" | "base" | "position" | "time">)[] = [];
  for (const event of await source.events.since(since, Object.keys(DESCRIPTIONS))) {
    const told = await DESCRIPTIONS[event.type]?.(event, source, register);
    const { organizationId, base, revision, id, created: time } = event;
    if (told) found.push({ ...told, organizationId, base, position: { revision, id }, time });
  }
  for (const key of await source.keys.expiring(since, now)) {
    // A key that only lived for hours was meant to expire.
    if (!key.expires || key.expires.getTime() - key.created.getTime() < Math.max(...KEY_NOTICE_DAYS) * DAY_MS) continue;
    const told = keyNotice(key, `expired on ${dayOf(key.expires.toISOString())}`);
    found.push({ ...told, organizationId: key.organizationId, base: null, position: null, time: key.expires });
  }
  for (const webhook of await source.webhooks.list()) {
    const told = webhookNotice(webhook, now);
    if (told) found.push({ ...told, organizationId: webhook.organizationId, base: null, position: null });
  }
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
  register: Holdings,
): Promise<Told | undefined> {
  const licences = register.licences(organizationId ?? "", base ?? "");
  const licence = licences.find(({ id }) => id === data.id);
  // It has been renewed since then, or another one was granted.
  if (!licence?.expires || licence.expires.toISOString() !== data.expires) return undefined;
  const { id, expires } = licence;
  if (licences.some((other) => other.id !== id && isLive(other, expires))) return undefined;
  const end =
    type === "licence.ended"
      ? `ended on ${dayOf(data.expires)}`
      : `ends in ${data.days_left} days, on ${dayOf(data.expires)}`;
  return {
    topic: "licences",
    text: `the licence for ${familyName(register, base)} ${end}.`,
    paths: { admin: "/licences", operator: `/organizations/${organizationId}` },
  };
}

function keyNotice({ name, prefix }: Key, what: string): Told {
  return { topic: "keys", text: `the key “${name}” (${prefix}) ${what}.`, paths: samePath("/keys") };
}

/** Names the host only, because the rest of a URL may contain a secret. */
function webhookNotice({ id, url, description, disabled, progress }: Webhook, now: Date) {
  const name = `the webhook ${description === "" ? "" : `“${description}” `}at ${new URL(url).host}`;
  const base = { topic: "webhooks", paths: samePath(`/webhooks/${id}`) } as const;
  if (disabled?.reason === "failing") {
    const text = `${name} was disabled, because it failed for a week. Enable it again when it works.`;
    return { ...base, text, time: disabled.at };
  }
  if (disabled?.reason === "gone") {
    return { ...base, text: `${name} was disabled, because it responded with 410 (gone).`, time: disabled.at };
  }
  const lost = progress.failingSince && new Date(progress.failingSince.getTime() + WEBHOOK_FAILING_MS);
  if (disabled || !lost || !progress.failingSince || lost > now) return undefined;
  const since = dayOf(progress.failingSince.toISOString());
  return { ...base, text: `${name} has failed since ${since}, and events are being lost.`, time: lost };
}

function familyName({ families }: Pick<Holdings, "families">, base: string | null): string {
  const family = families.find((entry) => entry.family.base === base)?.family;
  return family ? `${family.name} (${base})` : String(base);
}

function samePath(path: string): Notice["paths"] {
  return { admin: path, operator: path };
}

/** Like "31 March 2027". */
function dayOf(time: unknown): string {
  return new Date(String(time)).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
}
