import { readdir, rm, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { conflict } from "../../platform/primitives/faults.ts";
import { prepareDirectories } from "../../settings/requirements.ts";
import type { Settings } from "../../settings/settings.ts";

/** Marks a directory as created by the demo, so it may be deleted. */
const MARK = "THIS-IS-THE-DEMO.txt";
const MARK_TEXT = `This directory was created by "dbdepot-server demo" and can be deleted.
"dbdepot-server demo --reset" deletes and recreates it.
`;
/** Marks a complete demo. If the first start was interrupted, it starts over. */
const READY = "demo-is-ready";

export interface DemoFolder {
  isReady: boolean;
  markReady(): Promise<void>;
}

/** The demo only uses a directory that it created or that is empty. */
export async function openDemoFolder(settings: Settings, { reset }: { reset: boolean }): Promise<DemoFolder> {
  const folder = settings.dataDir;
  requireInside(settings);
  await prepareDirectories(settings);
  const names = await readdir(folder);
  if (names.length > 0 && !names.includes(MARK)) {
    throw conflict(`${folder} contains data that the demo did not create: set DBDEPOT_DATA_DIR to an empty directory`);
  }
  const isReady = names.includes(READY) && !reset;
  if (!isReady) {
    // The mark stays, so that an interrupted reset leaves a directory that the demo may use.
    for (const name of names) if (name !== MARK) await rm(join(folder, name), { recursive: true });
    await writeFile(join(folder, MARK), MARK_TEXT);
  }
  return { isReady, markReady: () => writeFile(join(folder, READY), "") };
}

/** Fails unless all data is inside the demo's directory, because anything else may be real data. */
function requireInside({ dataDir, database, objects, signingKeysDir, freshnessKeysDir }: Settings): void {
  const isInside = (path: string) => path.startsWith(dataDir + sep);
  if (
    database.engine !== "sqlite" ||
    objects.store !== "disk" ||
    !isInside(database.path) ||
    !isInside(objects.folder) ||
    !isInside(signingKeysDir) ||
    !isInside(freshnessKeysDir)
  ) {
    throw conflict(
      "the demo keeps everything in its data directory: unset DBDEPOT_DATABASE_URL, DBDEPOT_OBJECTS_URL, DBDEPOT_SIGNING_KEYS_DIR and DBDEPOT_FRESHNESS_KEYS_DIR",
    );
  }
}
