import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workshop } from "../workshop.ts";
import { LARGE, LARGE_QUICK, type Scale, SMALL } from "./scale.ts";
import { makeSqliteData } from "./sqlite.ts";

export interface GrowthData {
  dataDir: string;
  scale: Scale;
}

export function smallData(workshop: Workshop): Promise<GrowthData> {
  return made(workshop, "small", SMALL);
}

export function largeData(workshop: Workshop): Promise<GrowthData> {
  return made(workshop, workshop.options.quick ? "large-quick" : "large", workshop.options.quick ? LARGE_QUICK : LARGE);
}

/** Once for a run; or, in a folder that was named, once. */
function made(workshop: Workshop, name: string, scale: Scale): Promise<GrowthData> {
  return workshop.shared(`${name} data`, async () => {
    const { data } = workshop.options;
    const dataDir = data === undefined ? workshop.newFolder(name) : join(data, name);
    const mark = join(dataDir, "is-whole");
    if (!existsSync(mark)) {
      const began = performance.now();
      await mkdir(dataDir, { recursive: true });
      await makeSqliteData(dataDir, scale);
      await writeFile(mark, "");
      workshop.say(`${name} data made in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    }
    return { dataDir, scale };
  });
}
