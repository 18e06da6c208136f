import { spawnSync } from "node:child_process";
import { mkdtempDisposableSync, statfsSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { temporaryDirectory } from "./temporary-directory.ts";

/** Variables of the caller that would change what programs do. `DBDEPOT_TEST_…` configures the tests themselves. */
const OF_THE_CALLER =
  /^(DBDEPOT_(?!TEST_)|AWS_|OTEL_|XDG_|LC_|PG)|^(https?_proxy|all_proxy|no_proxy|tz|lang|language|node_options|no_color|force_color|columns)$/i;

const ROOM_IN_MEMORY_BYTES = 2 * 1024 ** 3;

/**
 * Gives all tests and the programs they start the same environment on every machine. It runs first, in vitest's main
 * process, and the workers inherit it.
 */
export default function setup(): () => void {
  const home = homedir();
  const { XDG_CACHE_HOME: cache = join(home, ".cache") } = process.env;
  const disk = tmpdir();
  for (const name of Object.keys(process.env)) {
    if (OF_THE_CALLER.test(name)) delete process.env[name];
  }
  process.umask(0o022);
  const { path: directory, remove } = temporaryDirectory(memoryDirectory() ?? disk);
  Object.assign(process.env, {
    HOME: directory,
    TMPDIR: directory,
    TZ: "UTC",
    // Programs and threads that tests start from TypeScript files load several times faster.
    NODE_COMPILE_CACHE: join(import.meta.dirname, "../../node_modules/.cache/compiled"),
    // Tests of durability and of large files use the disk.
    DBDEPOT_TEST_DISK: disk,
    // Slow tests that sync thousands of small files use memory.
    DBDEPOT_TEST_MEMORY: directory,
    // Programs that npm does not install.
    DBDEPOT_TEST_CACHE: join(cache, "dbdepot"),
    // Tests that install packages use the caller's registry and cache.
    npm_config_userconfig: process.env.npm_config_userconfig ?? join(home, ".npmrc"),
    npm_config_cache: process.env.npm_config_cache ?? join(home, ".npm"),
  });
  return remove;
}

/** Returns a directory in memory, where SQLite's syncs cost nothing, if it has room and programs can be run from it. */
function memoryDirectory(): string | null {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize < ROOM_IN_MEMORY_BYTES) return null;
    using directory = mkdtempDisposableSync("/dev/shm/dbdepot-probe-");
    const program = join(directory.path, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    return spawnSync(program).status === 0 ? "/dev/shm" : null;
  } catch {
    return null;
  }
}
