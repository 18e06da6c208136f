import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "./api.ts";
import { sha256 } from "./installation.ts";
import type { KnownSecret, KnownVersion, Ledger } from "./ledger.ts";

const REPLAY_TIMEOUT_MS = 60_000;

interface Attempts {
  attempts: { user_agent: string | null }[];
}

/** Asks the service for everything it answered. Returns what is lost. */
export async function findLost(
  operator: Api,
  customer: Api,
  ledger: Ledger,
  versions: readonly KnownVersion[],
): Promise<string[]> {
  return [
    ...(await lostDownloads(operator, ledger)),
    ...(await lostLicences(operator, ledger)),
    ...(await wrongSecrets(customer, ledger.secrets)),
    ...(await Promise.all(versions.map((version) => wrongFiles(customer, version)))).flat(),
  ];
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
    await delay(200);
  }
}

async function storedDownloads(operator: Api, since: Date): Promise<Map<string, number>> {
  const stored = new Map<string, number>();
  const path = `/api/operator/history?limit=1000&since=${since.toISOString()}`;
  for await (const { attempts } of operator.pages<Attempts>(path)) {
    for (const { user_agent: agent } of attempts) {
      if (agent !== null && agent !== "chaos") stored.set(agent, (stored.get(agent) ?? 0) + 1);
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

/** All formats must be of the same build, which is the last published one or one whose publication was not answered. */
async function wrongFiles(customer: Api, version: KnownVersion): Promise<string[]> {
  const wrong: string[] = [];
  const builds = new Set<string>();
  for (const format of ["csvgz", "mmdb"]) {
    const path = `/api/v2/database/download?id=${version.id}&format=${format}`;
    const { status, headers } = await customer.send(path);
    const buildId = headers.get("x-build-id") ?? "";
    builds.add(buildId);
    if (status !== 302) {
      wrong.push(`${version.id} as ${format} gets ${status}`);
      continue;
    }
    const file = await fetch(headers.get("location") ?? "");
    const digest = sha256(new Uint8Array(await file.arrayBuffer()));
    if (file.status !== 200 || digest !== version.digests.get(buildId)?.[format]) {
      wrong.push(`${version.id} as ${format} has a wrong file (${file.status})`);
    }
  }
  const [current = ""] = builds;
  if (builds.size > 1) wrong.push(`${version.id} has files of builds ${[...builds].join(" and ")}`);
  if (current !== version.current && !version.unanswered.includes(current)) {
    wrong.push(`${version.id} has build ${current}, but ${version.current} was published`);
  }
  return wrong;
}
