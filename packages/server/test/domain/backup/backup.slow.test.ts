import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type OpenStage, type Stage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { openObjects } from "../../../src/adapters/objects/open.ts";
import { openStore } from "../../../src/adapters/sql/open.ts";
import { copyDepot } from "../../../src/domain/backup/copy.ts";
import type { Build, BuildFile } from "../../../src/domain/builds/build.ts";
import type { ObjectStore } from "../../../src/domain/builds/object-store.ts";
import { withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { startService } from "../../../src/service/service.ts";
import { runCommand } from "../../commands/terminal.ts";
import { answers, type Callers, callersOf, populate } from "./populated.ts";

function onMissing(problems: string[]): never {
  throw new Error(problems.join("\n"));
}

/** Options of a copy that is not interrupted. */
const QUIETLY = { signal: new AbortController().signal, copied: null, onStep: () => () => {}, onMissing };

const [SQLITE, POSTGRES] = stages() as [Stage, Stage];

for (const [source, target] of [
  [SQLITE, POSTGRES],
  [POSTGRES, SQLITE],
] as const) {
  describe(`from ${source.name} to ${target.name}`, () => {
    let test: TestService;
    let callers: Callers;
    let folder: string;
    let before: Record<string, unknown>;
    beforeAll(async () => {
      test = await testService(source);
      folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
      callers = await populate(test);
      before = await answers(callers);
    });
    afterAll(async () => {
      await test.dispose();
      await rm(folder, { recursive: true });
    });

    async function emptyStage(stage = target): Promise<OpenStage> {
      const opened = await stage.openEmpty();
      onTestFinished(() => opened.dispose());
      return opened;
    }

    /** An empty database with the object store of the source. */
    async function sourceStage(): Promise<OpenStage> {
      const stage = await emptyStage(source);
      const { DBDEPOT_OBJECTS_URL = "" } = test.stage.environment;
      return { ...stage, environment: { ...stage.environment, DBDEPOT_OBJECTS_URL } };
    }

    /** Runs a command that must succeed on the source, or on another stage. */
    async function run(argv: string[], stage = test.stage): Promise<{ rows: number; files: number }> {
      const { exitCode, out, err } = await runCommand([...argv, "--json"], stage.environment);
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      return JSON.parse(out);
    }

    /** Starts a server on the stage and returns what it answers, and the history from before. */
    async function serve(stage: OpenStage) {
      const service = await startService(stage.settings, { clock: test.clock.now, log: pino({ level: "silent" }) });
      const there = callersOf(callers, service.apiUrl);
      const history = await there.acme.history("?limit=200");
      const found = await answers(there);
      await service.close();
      return { history, answers: found };
    }

    it("restores a backup that was made under load, and gives the same answers", async () => {
      const dir = join(folder, "with-objects");
      const load = downloadUntil(run(["backup", dir, "--objects"]));
      const { files } = await load;
      // Two formats of 21 builds, two samples, a patch and a table.
      expect(files).toBe(2 * 21 + 2 + 1 + 1);
      const stage = await emptyStage();
      expect(await run(["restore", dir], stage)).toMatchObject({ files });
      const restored = await serve(stage);
      expect(restored.answers).toEqual(before);
      // Attempts that were recorded after the snapshot are missing, and no others.
      const all = await callers.acme.history("?limit=200");
      expect(restored.history.length).toBeGreaterThan(0);
      expect(restored.history).toEqual(all.slice(-restored.history.length));
    });

    /** Downloads one file after the other until the work is done. */
    async function downloadUntil<T>(work: Promise<T>): Promise<T> {
      let isOver = false;
      const over = work.finally(() => {
        isOver = true;
      });
      // The history of one request has room for 200 attempts.
      for (let n = 0; n < 150 && !isOver; n += 1) {
        expect((await callers.acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
      }
      return over;
    }

    it("restores a backup without files if the object store still has them", async () => {
      const dir = join(folder, "without-objects");
      const source = content(await test.stage.dump());
      expect(await run(["backup", dir])).toMatchObject({ files: 0, file_bytes: 0 });
      expect((await readdir(dir)).sort()).toEqual(["backup.sqlite", "objects.sha256", "settings.json"]);
      const stage = await sourceStage();
      await run(["restore", dir], stage);
      expect(content(await stage.dump())).toEqual(source);
    });

    it("is not complete while rows are only in the log of SQLite", async () => {
      const dir = join(folder, "in-use");
      const path = join(dir, "backup.sqlite.partial");
      const running = runCommand(["backup", dir, "--objects"], test.stage.environment);
      await expect.poll(() => existsSync(`${path}-wal`)).toBe(true);
      using other = new DatabaseSync(path);
      // Connects, so that the backup's connection is not the last one.
      other.prepare("select * from sqlite_master").all();
      const { exitCode, err } = await running;
      expect({ exitCode, err }).toEqual({ exitCode: 1, err: expect.stringContaining("is in use by another program") });
      expect(await readdir(dir)).not.toContain("backup.sqlite");
      other.close();
      await run(["backup", dir]);
    });

    it("keeps secrets out of the backup", async () => {
      const dir = join(folder, "secrets");
      const secrets = {
        DBDEPOT_SMTP_URL: "smtp://depot:hunter2@mail.example",
        DBDEPOT_MAIL_FROM: "depot@example.com",
        DBDEPOT_OIDC_ISSUER: "https://login.example.com",
        DBDEPOT_OIDC_CLIENT_ID: "dbdepot",
        DBDEPOT_OIDC_CLIENT_SECRET: "hunter2",
        OTEL_EXPORTER_OTLP_ENDPOINT: "https://depot:hunter2@traces.example/?api-key=hunter2",
      };
      expect((await runCommand(["backup", dir], { ...test.stage.environment, ...secrets })).exitCode).toBe(0);
      const text = await readFile(join(dir, "settings.json"), "utf8");
      expect(JSON.parse(text)).toMatchObject({ dataDir: test.dataDir, linkTtlSeconds: 900 });
      expect(text).not.toMatch(/secretAccessKey|hunter2|:[^/@\s]+@/);
      for (const key of [callers.acme.key, callers.legacyUuid]) {
        expect(await readFile(join(dir, "backup.sqlite"), "latin1")).not.toContain(key);
      }
    });

    it("refuses to restore if files are missing or damaged, and leaves the database empty", async () => {
      const dir = join(folder, "tampered");
      const source = content(await test.stage.dump());
      await run(["backup", dir, "--objects"]);
      const list = (await readFile(join(dir, "objects.sha256"), "utf8")).trim().split("\n");
      const [missing = "", damaged = ""] = list.map((line) => line.split("  ")[1]);
      await rm(join(dir, "objects", missing));
      await writeFile(join(dir, "objects", damaged), "tampered");
      const stage = await emptyStage();
      const { exitCode, err } = await runCommand(["restore", dir], stage.environment);
      expect(exitCode).toBe(1);
      expect(err).toContain("files of published builds are missing or damaged, so the database was not copied: put");
      expect(err).toContain(`object "${missing}" does not exist`);
      expect(err).toContain(`object "${damaged}" is damaged: its SHA-256 is `);
      const { revision, compatibility, ...tables } = content(await stage.dump());
      expect(compatibility).toHaveLength(1);
      expect(revision).toEqual(['[["value","0"]]']);
      expect(Object.values(tables).flat()).toEqual([]);
      const objects = await openObjects(stage.settings);
      expect([await objects.stat(missing), await objects.stat(damaged)]).toEqual([undefined, undefined]);
      const forced = await runCommand(["restore", dir, "--force"], stage.environment);
      expect(forced).toMatchObject({ exitCode: 0, err: expect.stringContaining(`warning: object "${missing}"`) });
      expect(content(await stage.dump())).toEqual(source);
    });

    it("reports a damaged file in the object store to restore to", async () => {
      const dir = join(folder, "damaged-target");
      await run(["backup", dir, "--objects"]);
      const key = (await readFile(join(dir, "objects.sha256"), "utf8")).split(/\s+/)[1] ?? "";
      const stage = await emptyStage();
      await (await openObjects(stage.settings)).put(
        key,
        (async function* () {
          yield Buffer.from("something else");
        })(),
      );
      const { exitCode, err } = await runCommand(["restore", dir], stage.environment);
      expect(exitCode).toBe(1);
      expect(err).toContain(`object "${key}" is damaged`);
    });

    it("restores a backup of an earlier version and leaves it unchanged", async () => {
      const dir = join(folder, "earlier");
      const source = content(await test.stage.dump());
      await run(["backup", dir]);
      const path = join(dir, "backup.sqlite");
      {
        using database = new DatabaseSync(path);
        for (const table of ["families", "versions", "organizations"]) {
          database.exec(`alter table ${table} drop column archived`);
        }
        database.exec("delete from migrations where name = '0006-archiving'");
      }
      await chmod(path, 0o400);
      const bytes = await readFile(path);
      const stage = await sourceStage();
      await run(["restore", dir], stage);
      expect(content(await stage.dump())).toEqual(source);
      expect(await readFile(path)).toEqual(bytes);
      expect(await readdir(stage.settings.dataDir)).not.toContainEqual(expect.stringContaining("restore-"));
    });

    it("refuses to overwrite a backup, and to restore an incomplete one", async () => {
      const dir = join(folder, "twice");
      await run(["backup", dir]);
      const twice = await runCommand(["backup", dir], test.stage.environment);
      expect(twice).toMatchObject({ exitCode: 1, err: expect.stringContaining("already contains a backup") });
      const nothing = await runCommand(["restore", folder], (await emptyStage()).environment);
      expect(nothing).toMatchObject({ exitCode: 1, err: expect.stringContaining("is not a complete backup") });
      const occupied = await runCommand(["restore", dir], test.stage.environment);
      expect(occupied).toMatchObject({ exitCode: 1, err: expect.stringContaining("is not empty") });
    });

    it("copies every row and file, and refuses to copy twice", async () => {
      const stage = await emptyStage();
      const file = join(folder, "new.env");
      const lines = Object.entries(stage.environment).map(([name, value]) => `${name}="${value}"\n`);
      await writeFile(file, lines.join(""));
      const { rows } = await run(["copy", "--to", file]);
      expect(rows).toBeGreaterThan(1200);
      const there = content(await stage.dump());
      for (const [table, found] of Object.entries(there)) expect([table, found.length > 0]).toEqual([table, true]);
      expect(there).toEqual(content(await test.stage.dump()));
      const temporary = await test.stage.dump();
      for (const table of TEMPORARY) {
        expect([table, temporary[table]?.length]).toEqual([table, 1]);
        expect([table, (await stage.dump())[table]]).toEqual([table, []]);
      }
      expect((await serve(stage)).answers).toEqual(before);
      const twice = await runCommand(["copy", "--to", file], test.stage.environment);
      expect(twice).toMatchObject({ exitCode: 1, err: expect.stringContaining("is not empty") });
    });

    /** The source and an empty target, to copy without a command. */
    async function depots() {
      const stage = await emptyStage();
      const store = await openStore(stage.settings.database);
      onTestFinished(() => store.close());
      await store.migrate();
      const { store: source, objects } = test.service.services;
      return { stage, from: { store: source, objects }, to: { store, objects: await openObjects(stage.settings) } };
    }

    it.each(["files", "rows"])("continues a copy that was interrupted while it copied %s", async (step) => {
      const { stage, from, to } = await depots();
      const controller = new AbortController();
      const { signal } = controller;
      let amounts = 0;
      const onStep = (what: string) => () => {
        if (what === step && ++amounts === 5) controller.abort(new Error("interrupted"));
      };
      await expect(copyDepot(from, to, { signal, copied: null, onStep, onMissing })).rejects.toThrow("interrupted");
      const early = await sizes(to.objects);
      expect(early.length).toBe(step === "files" ? 5 : 46);
      await to.store.requireEmpty();
      const { files } = await copyDepot(from, to, QUIETLY);
      expect(await sizes(to.objects)).toEqual(expect.arrayContaining(early));
      for (const { objectKey } of files) {
        const [one, other] = await Promise.all(
          [from, to].map(async ({ objects }) => buffer(await objects.read(objectKey))),
        );
        expect(one).toEqual(other);
      }
      expect(content(await stage.dump())).toEqual(content(await test.stage.dump()));
    });

    // These tests come last, because they change the source.
    it("refuses to back up if a file is missing", async () => {
      const { objects } = test.service.services;
      const build = await test.operator.publish("vpn_ip_v1", "lost");
      for (const { objectKey } of filesOf(build)) await objects.remove(objectKey);
      const dir = join(folder, "lost");
      const { exitCode, err } = await runCommand(["backup", dir, "--objects"], test.stage.environment);
      expect({ exitCode, err }).toEqual({ exitCode: 1, err: expect.stringContaining("withdraw their builds") });
      for (const { objectKey } of filesOf(build)) expect(err).toContain(`object "${objectKey}" does not exist`);
      await withdrawBuild(test.operator.operation(), build.id);
      await run(["backup", dir, "--objects"]);
    });

    it("copies builds that are published meanwhile, and does not miss those that are removed", async () => {
      const { stage, from, to } = await depots();
      const removed = await test.operator.publish("vpn_ip_v1", "removed meanwhile");
      let published: Build | undefined;
      async function changeOnce() {
        if (published) return;
        published = await test.operator.publish("vpn_ip_v1", "published meanwhile");
        await from.store.change((tables) => tables.builds.setState(removed.id, { state: "removed" }));
        for (const { objectKey } of filesOf(removed)) await from.objects.remove(objectKey);
      }
      const objects: ObjectStore = {
        ...from.objects,
        read: async (key) => {
          await changeOnce();
          return from.objects.read(key);
        },
      };
      const { files } = await copyDepot({ ...from, objects }, to, QUIETLY);
      const keys = files.map(({ objectKey }) => objectKey);
      for (const { objectKey, sizeBytes } of filesOf(published as Build | undefined)) {
        expect(keys).toContain(objectKey);
        expect(await to.objects.stat(objectKey)).toMatchObject({ sizeBytes });
      }
      for (const { objectKey } of filesOf(removed)) expect(keys).not.toContain(objectKey);
      expect(content(await stage.dump())).toEqual(content(await test.stage.dump()));
    });
  });
}

function filesOf(build: Build | undefined): BuildFile[] {
  return Object.values(build?.files ?? {});
}

/** Keys and times of all objects: an object that is written again has another time. */
async function sizes(objects: ObjectStore): Promise<[string, number][]> {
  const found = await Array.fromAsync(objects.list(""));
  return found.map(({ key, modified }): [string, number] => [key, modified.getTime()]).sort();
}

const TEMPORARY = [
  "account_sessions",
  "account_links",
  "account_challenges",
  "passkey_challenges",
  "device_requests",
  "authorization_codes",
  "outbox",
];

/**
 * The rows that are copied, without sessions, unfinished sign-ins, links and e-mails, as text that is the same for both engines. Times of use are
 * omitted, because they are written with a delay, and so is the mark of a copy.
 */
function content(dump: Record<string, Record<string, unknown>[]>): Record<string, string[]> {
  const {
    attempts_filed,
    sqlite_sequence,
    migrations,
    // Unused since migration 0028.
    patch_jobs,
    // Marks the copy itself.
    copies,
    limit_reservations,
    account_sessions,
    account_links,
    account_challenges,
    passkey_challenges,
    device_requests,
    authorization_codes,
    outbox,
    ...tables
  } = dump;
  const staged = (tables.builds ?? []).filter(({ state }) => state === "staged").map(({ id }) => id);
  const isCopied = (row: Record<string, unknown>) => !staged.includes(row.build_id ?? row.id);
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [table, rows.filter(isCopied).map(rowText).sort()]),
  );
}

function rowText({ last_used, copied, ...row }: Record<string, unknown>): string {
  // The column of SQLite's attempts that is not copied; a version's number is in its id.
  delete row.number;
  const values = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value === null ? null : String(value),
  ]);
  return JSON.stringify(values.sort());
}
