import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import chromium, { inflate } from "@sparticuz/chromium";
import type { TestProject } from "vitest/node";
import { pathOf } from "../../../rigs/harness/tools.ts";

/** A browser, and the variables that it needs to find its libraries and fonts. */
export interface Chromium {
  path: string;
  env: Record<string, string>;
}

declare module "vitest" {
  export interface ProvidedContext {
    /** Null if no browser is available. */
    chromium: Chromium | null;
    /** The directory of the data that test files copy, see seeded-stage.ts. */
    seeds: string;
  }
}

const PACKAGE = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "..");
const CACHE = join(import.meta.dirname, "../../../node_modules/.cache");
const FONT_DIRECTORIES = ["/usr/share/fonts", "/usr/local/share/fonts"];

/** Finds the browser once for all test files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const found = await findChromium();
  if (!found && process.env.DBDEPOT_TEST_REQUIRE_TOOLS)
    throw new Error("no Chromium for this machine: install chromium-headless-shell or set DBDEPOT_TEST_CHROMIUM");
  project.provide("chromium", found);
  const seeds = await mkdtemp(join(tmpdir(), "dbdepot-seeds-"));
  project.provide("seeds", seeds);
  return () => rm(seeds, { recursive: true });
}

/** The npm package contains Chromium for Linux on x64 only. */
async function findChromium(): Promise<Chromium | null> {
  const ownPath = process.env.DBDEPOT_TEST_CHROMIUM;
  if (ownPath) return { path: ownPath, env: {} };
  if (process.platform === "linux" && process.arch === "x64") return fromPackage(await unpacked());
  const path = pathOf("chromium-headless-shell") ?? pathOf("chromium");
  return path === undefined ? null : { path, env: {} };
}

/** Unpacks the package where the next run finds it. The directory gets its name when it is complete. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"));
  const directory = join(CACHE, `chromium-${version}`);
  if (existsSync(directory)) return directory;
  await mkdir(CACHE, { recursive: true });
  const incomplete = await mkdtemp(join(CACHE, "incomplete-"));
  const { TMPDIR = "" } = process.env;
  process.env.TMPDIR = incomplete; // The package unpacks to the directory for temporary files.
  try {
    await Promise.all([chromium.executablePath(), inflate(join(PACKAGE, "bin/al2023.tar.br"))]);
    await rename(incomplete, directory);
  } catch (error) {
    await rm(incomplete, { recursive: true });
    if (!existsSync(directory)) throw error;
  } finally {
    process.env.TMPDIR = TMPDIR;
  }
  return directory;
}

/** Uses the package's libraries and fonts where the machine has none. Chromium takes all text for hidden without a font. */
async function fromPackage(directory: string): Promise<Chromium | null> {
  const path = join(directory, "chromium");
  const starts = (env: Record<string, string>) =>
    spawnSync(path, ["--version"], { env: { ...process.env, ...env } }).status === 0;
  const env = starts({}) ? {} : { LD_LIBRARY_PATH: join(directory, "al2023/lib") };
  if (!starts(env)) return null;
  if (existsSync("/etc/fonts/fonts.conf") && (await Promise.all(FONT_DIRECTORIES.map(hasFont))).some(Boolean))
    return { path, env };
  await writeFile(
    join(directory, "fonts/fonts.conf"),
    `<fontconfig><dir>${directory}/fonts</dir><cachedir>${directory}/fonts-cache</cachedir></fontconfig>\n`,
  );
  return { path, env: { ...env, FONTCONFIG_PATH: join(directory, "fonts") } };
}

async function hasFont(directory: string): Promise<boolean> {
  const files = await readdir(directory, { recursive: true }).catch(() => []);
  return files.some((name) => /\.(ttf|otf|ttc)$/.test(name));
}
