import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { skipUnless } from "../../../../rigs/harness/needs.ts";
import { run, start, stop } from "../../../../rigs/harness/processes.ts";
import { programEnvironment } from "../../../../rigs/harness/program-environment.ts";
import { call } from "../../../../rigs/harness/service/customer.ts";
import { type OpenStage, stages } from "../../../../rigs/harness/service/stages.ts";
import { BUILT_COMMAND } from "../commands/child.ts";
import { ALLOW_LOOPBACK, Receiver } from "../domain/webhooks/receiver.ts";

const REPOSITORY = join(import.meta.dirname, "../../../..");
/** The last release before this commit. Until there is one, a commit whose newest migration is 0041 stands for it. */
const PREVIOUS = lastRelease() ?? "c62e171e138e5d496834ec23c631ac69b5701cb9";
const ID = "tor_exit_ip_v1";
/** Tables whose rows this test only adds. */
const LASTING = [
  "organizations",
  "families",
  "licences",
  "keys",
  "key_secrets",
  "builds",
  "build_files",
  "signing_keys",
  "manifests",
  "events",
  "webhook_deliveries",
  "attempts",
  "audit",
  "migrations",
];

/** Columns that publishing the next build, or using a key, writes later. */
const CHANGING = ["revision", "superseded", "last_used"];

type Rows = Awaited<ReturnType<OpenStage["dump"]>>;
type Server = Awaited<ReturnType<Program["serve"]>>;

const hasCommit = spawnSync("git", ["-C", REPOSITORY, "cat-file", "-e", PREVIOUS]).status === 0;
// A shallow clone and a tarball of the source lack it.
const required = skipUnless(hasCommit, `the commit ${PREVIOUS}`);

describe("An upgrade from the previous program", required, () => {
  let previousPath: string;
  let folder: string;
  beforeAll(async () => {
    const pack = join(REPOSITORY, "scripts/previous-server");
    previousPath = (await promisify(execFile)(pack, [PREVIOUS])).stdout.trim();
    folder = await mkdtemp(join(tmpdir(), "dbdepot-upgrade-"));
    await exportBuilds(new Program(previousPath, { DBDEPOT_DATA_DIR: join(folder, "data") }), folder);
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true }));

  for (const stage of stages()) {
    it(`loses nothing on ${stage.name}, while servers of both versions run, and when it is undone and repeated`, async () => {
      const receiver = await Receiver.start();
      onTestFinished(() => receiver.close());
      receiver.respond = () => 500;
      const settings = { DBDEPOT_LOG_LEVEL: "error", DBDEPOT_METRICS_PORT: "off", ...ALLOW_LOOPBACK };
      const opened = await stage.openEmpty(settings);
      onTestFinished(() => opened.dispose());
      const previous = new Program(previousPath, opened.environment);
      const current = new Program(BUILT_COMMAND, opened.environment);
      const publish = (program: Program, build: string, ...more: string[]) =>
        program.run("builds", "publish", ID, ...filesOf(join(folder, build)), "--force", ...more);

      // The previous version has keys, builds, signatures, downloads, and events that could not be delivered.
      const { key, publisher } = await setUp(previous, receiver.url());
      await publish(previous, "1");
      await publish(previous, "2");
      const old = await previous.serve();
      onTestFinished(async () => void (await old.stop()));
      const downloads = new Downloads(folder);
      for (let n = 0; n < 5; n++) await downloads.from(old, key, "2");
      await expect.poll(() => opened.query("select id from webhook_deliveries")).not.toEqual([]);
      await expect.poll(() => storedDownloads(opened)).toBe(5);
      const before = await opened.dump();
      for (const table of LASTING) expect([table, before[table]?.length]).not.toEqual([table, 0]);

      // Migrates while customers download from the old server.
      const migrating = { isOver: false };
      const load = (async () => {
        while (!migrating.isOver) await downloads.from(old, key, "2");
      })();
      const { applied } = await current.json<{ applied: string[] }>("migrate");
      migrating.isOver = true;
      await load;
      const migrated = await opened.dump();
      const known = namesOf(before.migrations);
      expect(known.length).toBeGreaterThanOrEqual(41);
      expect(applied).toEqual(namesOf(migrated.migrations).filter((name) => !known.includes(name)));
      expect(lostRows(before, migrated)).toEqual([]);

      // Both versions see what the other one writes.
      const recent = await current.serve();
      onTestFinished(async () => void (await recent.stop()));
      await publish(previous, "3", "--server", old.origin, "--key", publisher);
      await downloads.eventuallyFrom(recent, key, "3");
      await downloads.from(old, key, "3");
      const fromOld = await createKey(old, key, "from the old server");
      await downloads.eventuallyFrom(recent, fromOld, "3");
      const fromRecent = await createKey(recent, key, "from the new server");
      await downloads.eventuallyFrom(old, fromRecent, "3");
      await publish(current, "4");
      await downloads.eventuallyFrom(old, key, "4");
      await downloads.eventuallyFrom(recent, key, "4");
      const mixed = await opened.dump();

      // A server of the previous version that crashes starts again on the new schema.
      await old.crash();
      const restarted = await previous.serve();
      onTestFinished(async () => void (await restarted.stop()));
      await downloads.from(restarted, fromRecent, "4");

      // Back to the previous version, which does everything on the new schema that it did before.
      expect(await recent.stop()).toBe(0);
      await publish(previous, "2", "--server", restarted.origin, "--key", publisher);
      await downloads.eventuallyFrom(restarted, key, "2");
      const undone = await createKey(restarted, key, "after going back");
      await previous.run("licences", "grant", "Acme", "tor_exit_ip", "--redistribution", "redistribute");
      const back = await opened.dump();
      expect((await current.json<{ applied: string[] }>("migrate")).applied).toEqual([]);

      // And to the new version again, for good.
      expect(await restarted.stop()).toBe(0);
      const replacement = await current.serve();
      onTestFinished(async () => void (await replacement.stop()));
      for (const each of [fromOld, fromRecent, undone]) await downloads.from(replacement, each, "2");
      await publish(current, "1");
      await downloads.eventuallyFrom(replacement, key, "1");
      await expect.poll(() => storedDownloads(opened)).toBe(downloads.count);

      // Customers get every event that was waiting, once and in order.
      const delivered: (string | undefined)[] = [];
      receiver.respond = ({ headers }) => {
        delivered.push(headers["webhook-id"]);
        return 204;
      };
      const events = await opened.query("select id from events order by revision, id");
      const sent = async () => {
        // The pause before the next attempt grows with the time that the test has taken.
        await opened.query("update webhook_endpoints set next_attempt = null");
        return delivered.length;
      };
      await expect.poll(sent, { timeout: 120_000, interval: 1000 }).toBe(events.length);
      expect(delivered).toEqual(events.map(({ id }) => id));

      const after = await opened.dump();
      for (const earlier of [before, migrated, mixed, back]) expect(lostRows(earlier, after)).toEqual([]);
      // Every build is signed, whichever version published it.
      const sequences = await opened.query("select sequence from manifests order by sequence");
      expect(sequences.map(({ sequence }) => Number(sequence))).toEqual([1, 2, 3, 4, 5, 6]);
    });
  }
});

/** One version of `dbdepot-server`. */
class Program {
  readonly #path: string;
  readonly #environment: Record<string, string>;

  constructor(path: string, environment: Record<string, string>) {
    this.#path = path;
    this.#environment = { ...programEnvironment(), ...environment };
  }

  async run(...argv: string[]): Promise<string> {
    return (await run(process.execPath, [this.#path, ...argv], { env: this.#environment })).stdout;
  }

  async json<T>(...argv: string[]): Promise<T> {
    return JSON.parse(await this.run(...argv, "--json"));
  }

  async serve() {
    const port = await freePort();
    const ports = { DBDEPOT_PORT: String(port), DBDEPOT_OBJECTS_PORT: String(await freePort()) };
    const env = { ...this.#environment, ...ports };
    const child = start(process.execPath, [this.#path, "serve"], { env, stdio: ["ignore", "inherit", "ignore"] });
    const exited = once(child, "exit");
    const origin = `http://127.0.0.1:${port}`;
    const ready = async () => (await call(`${origin}/readyz`)).status;
    await expect.poll(() => ready().catch(() => 0)).toBe(200);
    const end = async (): Promise<number> => {
      await stop(child);
      return (await exited)[0];
    };
    const crash = async (): Promise<void> => {
      child.kill("SIGKILL");
      await exited;
    };
    return { origin, stop: end, crash };
  }
}

/** Downloads, and counts what has to be in the history. */
class Downloads {
  count = 0;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Downloads the build. Fails if it is another one. */
  async from(server: Server, key: string, build: string): Promise<void> {
    expect(await this.#matches(server, key, build)).toBe(true);
  }

  /** Waits until the server has loaded what another process wrote. */
  async eventuallyFrom(server: Server, key: string, build: string): Promise<void> {
    await expect.poll(() => this.#matches(server, key, build)).toBe(true);
  }

  async #matches(server: Server, key: string, build: string): Promise<boolean> {
    const reply = await fetch(`${server.origin}/api/v2/database/download?id=${ID}&format=mmdb&delivery=stream`, {
      headers: { "x-api-key": key },
    });
    const body = Buffer.from(await reply.arrayBuffer());
    if (reply.status !== 200) return false;
    this.count += 1;
    return body.equals(await readFile(join(this.#folder, build, `${ID}.mmdb`)));
  }
}

/** The newest tag of a version that is an ancestor of this commit, but not this commit itself. */
function lastRelease(): string | undefined {
  const options = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"];
  const { status, stdout } = spawnSync("git", ["-C", REPOSITORY, ...options], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function namesOf(migrations: Rows[string] = []): string[] {
  return migrations.map(({ name }) => String(name)).sort();
}

async function storedDownloads({ query }: OpenStage): Promise<number> {
  return Number((await query("select count(*) as count from attempts where outcome = 'ok'"))[0]?.count);
}

async function createKey(server: Server, key: string, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ name, allowed_scopes: ["db.download"] });
  const reply = await call(`${server.origin}/api/v1/iam/apikeys`, { method: "POST", headers, body });
  expect(reply.status).toBe(200);
  return reply.json.key;
}

/** Writes the files of four builds with different rows. */
async function exportBuilds(program: Program, folder: string): Promise<void> {
  const [header = "", ...rows] = (await readFile(join(REPOSITORY, "examples/tor_exit_ip.csv"), "utf8"))
    .trim()
    .split("\n");
  for (const [index, build] of ["1", "2", "3", "4"].entries()) {
    const target = join(folder, build);
    await mkdir(target);
    await writeFile(join(target, "tor_exit_ip.csv"), `${[header, ...rows.slice(index)].join("\n")}\n`);
    await program.run("export", join(target, "tor_exit_ip.csv"), "--id", ID, "--out", target);
  }
}

function filesOf(folder: string): string[] {
  const path = join(folder, ID);
  return ["--csvgz", `${path}.csv.gz`, "--mmdb", `${path}.mmdb`, "--metadata", `${path}.metadata.json`];
}

async function setUp(program: Program, webhookUrl: string): Promise<{ key: string; publisher: string }> {
  await program.run("orgs", "add", "Acme");
  await program.run("webhooks", "create", "--org", "Acme", "--url", webhookUrl);
  await program.run("families", "add", "tor_exit_ip", "--name", "Tor exit nodes");
  await program.run("versions", "add", ID, "--summary", "Tor exit nodes", "--formats", "csvgz,mmdb");
  await program.run("licences", "grant", "Acme", "tor_exit_ip", "--redistribution", "internal");
  await program.run("signing-keys", "create");
  const create = async (...argv: string[]) => (await program.json<{ key: string }>("keys", "create", ...argv)).key;
  const key = await create("--org", "Acme", "--name", "ci", "--scopes", "db.download,apikeys.manage");
  return { key, publisher: await create("--name", "publisher", "--scopes", "builds.publish") };
}

/** The rows that were there before and are missing or different afterwards, apart from columns that were added. */
function lostRows(before: Rows, after: Rows): string[] {
  return LASTING.flatMap((table) => {
    const columns = Object.keys(before[table]?.[0] ?? {}).filter((column) => !CHANGING.includes(column));
    const text = (row: Record<string, unknown>) => JSON.stringify(columns.map((column) => row[column]));
    const found = new Set(after[table]?.map(text));
    return (before[table] ?? []).filter((row) => !found.has(text(row))).map((row) => `${table}: ${text(row)}`);
  });
}
