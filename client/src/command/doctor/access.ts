import type { DbdepotClient } from "../../client.ts";
import { DbdepotError } from "../../errors.ts";
import type { Environment } from "../../http/proxy.ts";
import { nodeSend } from "../../http/undici.ts";
import type { Database, DatabaseVersion } from "../../wire.ts";
import type { Settings } from "../config/settings.ts";
import { inOneLine } from "../explanation.ts";
import { FORMATS } from "../formats.ts";
import { TIMEOUT_MS } from "./network.ts";
import { fail, note, ok, type Verdict } from "./verdict.ts";

/** How the key stands with each family. */
export function judgeKey(families: readonly Database[]): Verdict {
  const standing = (["licensed", "expired", "unlicensed"] as const).flatMap((name) => {
    const bases = families.filter((family) => family.standing === name).map(({ base }) => base);
    return bases.length > 0 ? [`${name}: ${bases.join(", ")}`] : [];
  });
  const isLicensed = families.some((family) => family.standing === "licensed");
  const told = `it is accepted; ${standing.join("; ") || "the catalogue is empty"}`;
  return isLicensed ? ok(told) : note(told);
}

/** Whether everything that is to be kept up to date can be. */
export function judgeDatabases({ databases, formats: common }: Settings, families: readonly Database[]): Verdict {
  if (databases.length === 0) return note("none is set: sync has to be told which");
  const wrong = databases.flatMap(({ id, formats }) => {
    const family = families.find(({ versions }) => versions.some((version) => version.id === id));
    const version = family?.versions.find((one) => one.id === id);
    if (!family || !version) return [`${id} is not in the catalogue`];
    if (family.standing !== "licensed") return [`${id} is ${family.standing}`];
    const missing = (formats ?? common)?.filter((format) => !version.formats.includes(format)) ?? [];
    return missing.map((format) => `${id} is not built as ${format}`);
  });
  if (wrong.length === 0) return ok(`all ${databases.length} can be fetched`);
  return fail(wrong.join("; "), '"dbdepot list" shows what there is; for a licence ask your vendor');
}

/** Asks for a link, as a download does (so it stands in the history), and for one byte behind it. */
export async function checkStorage(
  client: DbdepotClient,
  { databases, delivery }: Settings,
  families: readonly Database[],
  env: Environment,
): Promise<Verdict> {
  if (delivery === "stream") return ok("not needed: files come from the service itself");
  const wanted = new Set(databases.map(({ id }) => id));
  const link = await firstLink(client, licensedFirst(families, wanted));
  if (!link) return note("not tried: there is nothing yet that you may download");
  const { host } = link.url;
  try {
    const send = nodeSend(env, TIMEOUT_MS);
    const response = await send({ method: "GET", url: link.url, headers: { range: "bytes=0-0" }, signal: undefined });
    const { status } = response;
    response.discard();
    if (status === 206) return ok(`${host} hands out ${link.id}: one byte was asked for, and came`);
    if (status === 200) return note(`${host} hands out ${link.id}, but only whole: nothing can be resumed there`);
    return fail(
      `${host} answers ${status}`,
      "if a proxy is in the way, it must let requests to this host pass unchanged",
    );
  } catch (error) {
    return fail(inOneLine(error), `let this machine reach ${host}, or set delivery to "stream"`);
  }
}

/** What is to be kept up to date comes first. */
function licensedFirst(families: readonly Database[], wanted: ReadonlySet<string>): DatabaseVersion[] {
  const versions = families.filter(({ standing }) => standing === "licensed").flatMap((family) => family.versions);
  return versions.sort((a, b) => Number(wanted.has(b.id)) - Number(wanted.has(a.id)));
}

/** Of the first database that has a build. */
async function firstLink(client: DbdepotClient, versions: readonly DatabaseVersion[]) {
  for (const { id, formats } of versions) {
    const answer = await client.metadata(id).catch((error: DbdepotError) => error);
    if (answer instanceof DbdepotError && answer.kind === "not_available") continue;
    if (answer instanceof Error) throw answer;
    const { url } = await client.downloadUrl(id, FORMATS.find((format) => formats.includes(format)) ?? FORMATS[0]);
    return { id, url: new URL(url) };
  }
  return undefined;
}
