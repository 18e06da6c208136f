import { type MadeBuild, makeCsvgz, makeMmdb } from "../data/builds.ts";
import { operate, type Place } from "../service.ts";
import type { Workshop } from "../workshop.ts";

const MMDB_BYTES = 2 ** 30;
const CSVGZ_BYTES = 100_000_000;
/** A smoke run does with this share. */
const QUICK_SHARE = 16;

export function largeMmdb(workshop: Workshop): Promise<MadeBuild> {
  return workshop.shared("large mmdb", () => makeMmdb(workshop.newFolder("mmdb"), size(workshop, MMDB_BYTES)));
}

export function largeCsvgz(workshop: Workshop): Promise<MadeBuild> {
  return workshop.shared("large csvgz", () => makeCsvgz(workshop.newFolder("csvgz"), size(workshop, CSVGZ_BYTES)));
}

/** Makes the version that a build is of, in a new data folder. */
export async function placeFor(workshop: Workshop, { id, format }: MadeBuild): Promise<Place> {
  const place = { dataDir: workshop.newFolder("data") };
  const base = id.replace(/_v1$/, "");
  await operate(place, "families", "add", base, "--name", "Large");
  await operate(place, "versions", "add", id, "--summary", "A large one", "--formats", format);
  return place;
}

export function publication({ id, format, file, document }: MadeBuild): string[] {
  return ["builds", "publish", id, `--${format}`, file, "--metadata", document];
}

function size({ options }: Workshop, bytes: number): number {
  return options.quick ? bytes / QUICK_SHARE : bytes;
}
