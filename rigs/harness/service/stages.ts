import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import { newId } from "../../../packages/server/src/platform/primitives/ids.ts";
import { parseSettings, type Settings } from "../../../packages/server/src/settings/settings.ts";
import { engineNamed, type TestDatabase, type TestEngine } from "./engines.ts";

type Environment = Record<string, string>;

/** A database and an object store to run the whole service on. */
export interface Stage {
  name: string;
  /** Opens it with a database that has the current schema. */
  open(settings?: Environment): Promise<OpenStage>;
  /** Opens it with a database that has no schema. */
  openEmpty(settings?: Environment): Promise<OpenStage>;
}

export interface OpenStage {
  settings: Settings;
  /** The variables that the settings come from. */
  environment: Environment;
  /** Runs SQL without going through the store. */
  query: TestDatabase["query"];
  /** Every row of every table. */
  dump: TestDatabase["dump"];
  /** The name of the Postgres database, or the path of the SQLite file. */
  databaseName: string;
  /** Everything in the database as text: the bytes of SQLite's files, or the rows of Postgres. */
  databaseContent(): Promise<string>;
  dispose(): Promise<void>;
}

/**
 * The two supported setups. Suites that depend on database or storage run on both:
 * `for (const stage of stages()) describe(stage.name, …)`. Postgres uses the disk if no S3 server is available.
 */
export function stages(): Stage[] {
  const sqlite = stage("SQLite + disk", "sqlite", onDisk);
  return inject("postgresUrl") ? [sqlite, postgresStage()] : [sqlite];
}

/**
 * One of the two setups, for suites that hardly depend on it: SQLite in `npm test`, Postgres in `npm run test:slow`.
 * vitest.config.ts finds them by this name: `for (const stage of eitherStage()) describe(stage.name, …)`.
 */
export function eitherStage(): Stage[] {
  return process.env.DBDEPOT_TEST_STAGE === "postgres" ? stages().slice(1) : stages().slice(0, 1);
}

function postgresStage(): Stage {
  const s3 = inject("s3");
  if (!s3) return stage("Postgres + disk", "postgres", onDisk);
  return stage("Postgres + S3", "postgres", () => ({
    DBDEPOT_OBJECTS_URL: s3.url.replace("?", `/${newId(new Date())}?`),
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  }));
}

function onDisk(directory: string): Environment {
  return { DBDEPOT_OBJECTS_URL: `file:${directory}/objects` };
}

function stage(name: string, engineName: TestEngine["name"], objects: (directory: string) => Environment): Stage {
  const engine = engineNamed(engineName);
  async function open(database: TestDatabase, extra: Environment = {}): Promise<OpenStage> {
    const { address } = database;
    const directory = await mkdtemp(join(tmpdir(), "dbdepot-stage-"));
    const environment = {
      DBDEPOT_DATA_DIR: directory,
      DBDEPOT_DATABASE_URL: address.engine === "sqlite" ? `sqlite:${address.path}` : address.url,
      DBDEPOT_PORT: "0",
      DBDEPOT_OBJECTS_PORT: "0",
      DBDEPOT_RATE_LIMIT: "off",
      // Patches are made in the background, so tests that compare everything would see them or not.
      DBDEPOT_PATCH_BASES: "0",
      DBDEPOT_LOG_LEVEL: "debug",
      ...objects(directory),
      ...extra,
    };
    return {
      // Services in this process log to the test or not at all; programs that tests start log what `environment` says.
      settings: parseSettings({ ...environment, DBDEPOT_LOG_LEVEL: "silent" }),
      environment,
      query: database.query,
      dump: database.dump,
      databaseName: address.engine === "sqlite" ? address.path : new URL(address.url).pathname.slice(1),
      databaseContent: async () =>
        address.engine === "sqlite" ? filesUnder(dirname(address.path)) : JSON.stringify(await database.dump()),
      dispose: async () => {
        await database.dispose();
        await rm(directory, { recursive: true, force: true });
      },
    };
  }
  return {
    name,
    open: async (extra) => open(await engine.create("current"), extra),
    openEmpty: async (extra) => open(await engine.create("none"), extra),
  };
}

/** Returns the bytes of all files below a directory as text, for searching. */
export async function filesUnder(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "latin1")))).join("\n");
}
