import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import { type OpenStage, type Stage, stages } from "../../../rigs/harness/service/stages.ts";

/** A stage that opens with a copy of seeded data, and what the function that seeded it returned. */
interface SeededStage<T> {
  stage: Stage;
  result: T;
}

/** SQLite and a disk: the console does not depend on the database. */
export function emptyStage(): Stage {
  const [stage] = stages();
  if (!stage) throw new Error("no stage to test on");
  return stage;
}

/**
 * Seeds a stage once for all test files, which takes longer than copying the result. `seed` starts a service on the
 * stage that it gets, and stops it. What it returns is stored as JSON.
 */
export async function seededStage<T>(
  base: Stage,
  name: string,
  seed: (stage: Stage) => Promise<T>,
): Promise<SeededStage<T>> {
  const folder = join(inject("seeds"), name);
  if (!existsSync(folder)) await create(folder, base, seed);
  return {
    stage: opening(emptyStage(), (opened) => copyBack(folder, opened)),
    result: JSON.parse(await readFile(join(folder, "result.json"), "utf8")).result,
  };
}

async function create(folder: string, base: Stage, seed: (stage: Stage) => Promise<unknown>): Promise<void> {
  const unfinished = await mkdtemp(`${folder}-`);
  const saving = opening(base, async (opened) => ({
    ...opened,
    dispose: async () => {
      await cp(dirname(opened.databaseName), join(unfinished, "database"), { recursive: true });
      await cp(opened.settings.dataDir, join(unfinished, "data"), { recursive: true });
      await opened.dispose();
    },
  }));
  await writeFile(join(unfinished, "result.json"), JSON.stringify({ result: await seed(saving) }));
  // Another worker may have been faster. Then the folder is not empty, and either copy will do.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
}

async function copyBack(folder: string, opened: OpenStage): Promise<OpenStage> {
  await cp(join(folder, "database"), dirname(opened.databaseName), { recursive: true });
  await cp(join(folder, "data"), opened.settings.dataDir, { recursive: true });
  return opened;
}

function opening(stage: Stage, change: (opened: OpenStage) => Promise<OpenStage>): Stage {
  return { ...stage, open: async (settings) => change(await stage.open(settings)) };
}
