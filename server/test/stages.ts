import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import { newId } from "../src/ids.ts";
import { parseSettings, type Settings } from "../src/settings.ts";
import { engines } from "./engines.ts";

/** A database and a storage to run the whole service on. */
export interface Stage {
  name: string;
  open(settings?: Record<string, string>): Promise<OpenStage>;
}

export interface OpenStage {
  settings: Settings;
  /** Postgres's; a path for SQLite. */
  databaseName: string;
  /** All that the database holds, as text: SQLite's files as they lie on disk, Postgres's rows. */
  databaseContent(): Promise<string>;
  dispose(): Promise<void>;
}

/** The two ways to run. Suites loop over them: `for (const stage of stages()) describe(stage.name, …)`. */
export function stages(): Stage[] {
  const s3 = inject("s3");
  const embedded = stage("SQLite + disk", "sqlite", (folder) => ({ DBDEPOT_OBJECTS_URL: `file:${folder}/objects` }));
  if (!s3) return [embedded];
  const atScale = stage("Postgres + S3", "postgres", () => ({
    DBDEPOT_OBJECTS_URL: s3.url.replace("?", `/${newId(new Date())}?`),
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  }));
  return [embedded, atScale];
}

function stage(name: string, engineName: string, objects: (folder: string) => Record<string, string>): Stage {
  return {
    name,
    async open(extra = {}) {
      const engine = engines.find((candidate) => candidate.name === engineName);
      if (!engine) throw new Error(`there is no engine ${engineName}`);
      const folder = await mkdtemp(join(tmpdir(), "dbdepot-stage-"));
      const { store, address, dump, dispose } = await engine.openEmpty();
      await store.close();
      const settings = parseSettings({
        DBDEPOT_DATA_DIR: folder,
        DBDEPOT_DATABASE_URL: address.engine === "sqlite" ? `sqlite:${address.path}` : address.url,
        DBDEPOT_PORT: "0",
        DBDEPOT_OBJECTS_PORT: "0",
        DBDEPOT_RATE_LIMIT: "off",
        DBDEPOT_LOG_LEVEL: "debug",
        ...objects(folder),
        ...extra,
      });
      return {
        settings,
        databaseName: address.engine === "sqlite" ? address.path : new URL(address.url).pathname.slice(1),
        databaseContent: async () =>
          address.engine === "sqlite" ? filesUnder(dirname(address.path)) : JSON.stringify(await dump()),
        dispose: async () => {
          await dispose();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

/** The bytes of all files below a folder, as text to search in. */
export async function filesUnder(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "latin1")))).join("\n");
}
