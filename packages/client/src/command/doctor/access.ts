import type { Database, DatabaseVersion, Identity } from "../../api/wire.gen.ts";
import type { DbdepotClient } from "../../client.ts";
import { DbdepotError } from "../../errors.ts";
import type { Environment } from "../../http/proxy.ts";
import { nodeSend } from "../../http/undici.ts";
import type { Settings } from "../config/settings.ts";
import { isDownloadable } from "../downloadable.ts";
import { describe } from "../explanation.ts";
import { FORMATS } from "../formats.ts";
import { TIMEOUT_MS } from "./network.ts";
import { fail, note, ok, type Verdict } from "./verdict.ts";

/** Names the organization and lists the families by standing. Older services have no `identity` endpoint. */
export function describeKey(families: readonly Database[], identity: Identity | undefined): Verdict {
  const who = identity ? ` as ${identity.org_name ?? "an operator key"}, scopes ${identity.scopes.join(", ")}` : "";
  const standing = (["licensed", "expired", "unlicensed"] as const).flatMap((name) => {
    const bases = families.filter((family) => family.standing === name).map(({ base }) => base);
    return bases.length > 0 ? [`${name}: ${bases.join(", ")}`] : [];
  });
  const detail = [`accepted${who}`, standing.join("; ") || "the catalogue is empty"].join("; ");
  return families.some(isDownloadable) ? ok(detail) : note(detail);
}

/** The key is valid, but cannot list or download anything. */
export function lacksScope({ name, scopes }: Identity): Verdict {
  const has = scopes.length > 0 ? `it has ${scopes.join(", ")}` : "it has none";
  return fail(`the key "${name}" is valid but lacks the scope db.download: ${has}`, "ask for the scope db.download");
}

/** Checks that every configured database can be downloaded. */
export function checkDatabases({ databases, formats: common }: Settings, families: readonly Database[]): Verdict {
  if (databases.length === 0) return note('none configured; pass ids to "dbdepot sync"');
  const problems = databases.flatMap(({ id, formats }) => {
    const family = families.find(({ versions }) => versions.some((version) => version.id === id));
    const version = family?.versions.find((one) => one.id === id);
    if (!family || !version) return [`${id} is not in the catalogue`];
    if (!isDownloadable(family)) return [`${id} is ${family.standing}`];
    if (family.terms_to_accept) return [`${id} needs the terms ${family.terms_to_accept}, which are not accepted`];
    const missing = (formats ?? common)?.filter((format) => !version.formats.includes(format)) ?? [];
    return missing.map((format) => `${id} has no ${format} build`);
  });
  if (problems.length === 0) return ok(`all ${databases.length} can be downloaded`);
  return fail(problems.join("; "), '"dbdepot list" shows the catalogue; ask your vendor for licences');
}

/** Requests a download link, which adds a row to the history, and one byte of the file. */
export async function checkStorage(
  client: DbdepotClient,
  { databases, delivery }: Settings,
  families: readonly Database[],
  env: Environment,
): Promise<Verdict> {
  if (delivery === "stream") return ok("not needed: files come from the service");
  const wanted = new Set(databases.map(({ id }) => id));
  const link = await firstLink(client, licensedFirst(families, wanted));
  if (!link) return note("not checked: no licensed database has a build yet");
  const { host } = link.url;
  try {
    const send = nodeSend(env, TIMEOUT_MS);
    const response = await send({ method: "GET", url: link.url, headers: { range: "bytes=0-0" }, signal: undefined });
    const { status } = response;
    response.discard();
    if (status === 206) return ok(`${host} serves ${link.id} and supports ranges`);
    if (status === 200) return note(`${host} serves ${link.id}, but ignores ranges, so downloads cannot be resumed`);
    return fail(`${host} returned ${status}`, "check that no proxy changes requests to this host");
  } catch (error) {
    return fail(describe(error), `allow connections to ${host}, or set delivery to "stream"`);
  }
}

/** Licensed versions, the configured ones first. */
function licensedFirst(families: readonly Database[], wanted: ReadonlySet<string>): DatabaseVersion[] {
  const versions = families.filter(isDownloadable).flatMap((family) => family.versions);
  return versions.sort((a, b) => Number(wanted.has(b.id)) - Number(wanted.has(a.id)));
}

/** A link to the first database that has a build. */
async function firstLink(client: DbdepotClient, versions: readonly DatabaseVersion[]) {
  for (const { id, formats } of versions) {
    const result = await client.metadata(id).catch((error: DbdepotError) => error);
    if (result instanceof DbdepotError && result.kind === "not_available") continue;
    if (result instanceof Error) throw result;
    const { url } = await client.downloadUrl(id, FORMATS.find((format) => formats.includes(format)) ?? FORMATS[0]);
    return { id, url: new URL(url) };
  }
  return undefined;
}
