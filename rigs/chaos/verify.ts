import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "./api.ts";
import { sha256 } from "./builds.ts";
import type { KnownSecret, KnownVersion, Ledger } from "./ledger.ts";

const REPLAY_TIMEOUT_MS = 60_000;
/** A process applies the changes of another one within a second, later if the machine is busy. */
const REFRESH_TIMEOUT_MS = 15_000;
const RETRY_MS = 100;
const FORMATS = ["csvgz", "mmdb"];

interface Attempts {
  attempts: { user_agent: string | null }[];
}

/** Asks the service for everything it answered. Returns what was lost, and how long a process was behind another. */
export async function findLost(
  operator: Api,
  customer: Api,
  ledger: Ledger,
  versions: readonly KnownVersion[],
): Promise<{ lost: string[]; behindMs: number }> {
  const builds = await refreshed(async () =>
    (await Promise.all(versions.map((it) => wrongBuilds(customer, it)))).flat(),
  );
  const secrets = await refreshed(() => wrongSecrets(customer, ledger.secrets));
  const lost = [
    ...builds.found,
    ...secrets.found,
    ...(await lostDownloads(operator, ledger)),
    ...(await lostLicences(operator, ledger)),
    ...(await Promise.all(versions.map((version) => wrongFiles(customer, version)))).flat(),
  ];
  return { lost, behindMs: Math.max(builds.behindMs, secrets.behindMs) };
}

/** Repeats a check while it finds something, until every process must have applied all changes. */
async function refreshed(check: () => Promise<string[]>): Promise<{ found: string[]; behindMs: number }> {
  const began = performance.now();
  for (;;) {
    const behindMs = performance.now() - began;
    const found = await check();
    if (found.length === 0 || behindMs > REFRESH_TIMEOUT_MS) return { found, behindMs };
    await delay(RETRY_MS);
  }
}

/** The service may need a moment to store attempts that it wrote to its spool. */
async function lostDownloads(operator: Api, ledger: Ledger): Promise<string[]> {
  const deadline = performance.now() + REPLAY_TIMEOUT_MS;
  for (;;) {
    const stored = await storedDownloads(operator, ledger.began);
    const lost = ledger.downloads.filter((agent) => !stored.has(agent));
    const repeated = [...stored].filter(([, count]) => count > 1);
    if (repeated.length > 0) return repeated.map(([agent, count]) => `download ${agent} is stored ${count} times`);
    if (lost.length === 0) return [];
    if (performance.now() > deadline) return lost.map((agent) => `download ${agent} is not in the history`);
    await delay(RETRY_MS);
  }
}

async function storedDownloads(operator: Api, since: Date): Promise<Map<string, number>> {
  const stored = new Map<string, number>();
  const path = `/api/operator/history?limit=1000&since=${since.toISOString()}`;
  for await (const { attempts } of operator.pages<Attempts>(path)) {
    for (const { user_agent: agent } of attempts) {
      if (agent?.startsWith("chaos-")) stored.set(agent, (stored.get(agent) ?? 0) + 1);
    }
  }
  return stored;
}

async function lostLicences(operator: Api, { licences }: Ledger): Promise<string[]> {
  const stored = new Set<string>();
  const list = operator.pages<{ licences: { id: string }[] }>("/api/operator/licences?limit=1000");
  for await (const page of list) for (const { id } of page.licences) stored.add(id);
  return licences.filter((id) => !stored.has(id)).map((id) => `licence ${id} is not listed`);
}

async function wrongSecrets(customer: Api, secrets: readonly KnownSecret[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { keyId, secret, state } of secrets) {
    const { status, body } = await customer.withKey(secret).send("/api/v1/iam/identity");
    if (status === 200 && JSON.parse(body.toString()).apikey_id !== keyId) wrong.push(`key ${keyId} is another key`);
    if (status !== 200 && status !== 401) wrong.push(`key ${keyId} gets ${status}`);
    if (state === "works" && status === 401) wrong.push(`key ${keyId} was created or rotated, and is refused`);
    if (state === "refused" && status === 200) wrong.push(`key ${keyId} was rotated or revoked, and its secret works`);
  }
  return wrong;
}

/** All formats must belong to the same build: the last published one, or one whose publication was not answered. */
async function wrongBuilds(customer: Api, version: KnownVersion): Promise<string[]> {
  const builds = new Set<string>();
  for (const format of FORMATS) builds.add((await download(customer, version, format)).buildId);
  const [current = ""] = builds;
  if (builds.size > 1) return [`${version.id} has files of builds ${[...builds].join(" and ")}`];
  if (current === version.current || version.unanswered.includes(current)) return [];
  return [`${version.id} has build ${current}, but ${version.current} was published`];
}

/** Every file must have the digest of its build. */
async function wrongFiles(customer: Api, version: KnownVersion): Promise<string[]> {
  const wrong: string[] = [];
  for (const format of FORMATS) {
    const { buildId, link } = await download(customer, version, format);
    const file = await fetch(link);
    const digest = sha256(new Uint8Array(await file.arrayBuffer()));
    if (file.status !== 200 || digest !== version.digests.get(buildId)?.[format]) {
      wrong.push(`${version.id} as ${format} has a wrong file (${file.status})`);
    }
  }
  return wrong;
}

async function download(
  customer: Api,
  { id }: KnownVersion,
  format: string,
): Promise<{ buildId: string; link: string }> {
  const { status, headers, body } = await customer.send(`/api/v2/database/download?id=${id}&format=${format}`);
  if (status !== 302) throw new Error(`${id} as ${format}: ${status} ${body}`);
  return { buildId: headers.get("x-build-id") ?? "", link: headers.get("location") ?? "" };
}
