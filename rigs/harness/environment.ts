import { spawnSync } from "node:child_process";
import { chmodSync, globSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

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
  const parent = memoryDirectory() ?? disk;
  removeAbandoned(parent);
  const directory = mkdtempSync(join(parent, `dbdepot-tests-${process.pid}-`));
  chmodSync(directory, 0o755); // PostgreSQL may run as another user.
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
  return () => rmSync(directory, { recursive: true, force: true });
}

/** Deletes files of killed test runs, because files in memory would stay until the next restart. */
function removeAbandoned(parent: string): void {
  for (const path of globSync(join(parent, "dbdepot-tests-*"))) {
    const pid = Number(/dbdepot-tests-(\d+)-/.exec(path)?.[1]);
    if (pid > 0 && !isRunning(pid)) rmSync(path, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Returns a directory in memory, where SQLite's syncs cost nothing, if it has room and programs can be run from it. */
function memoryDirectory(): string | null {
  const probe = `/dev/shm/dbdepot-probe-${process.pid}`;
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize < ROOM_IN_MEMORY_BYTES) return null;
    writeFileSync(probe, "#!/bin/sh\n", { mode: 0o755 });
    return spawnSync(probe).status === 0 ? "/dev/shm" : null;
  } catch {
    return null;
  } finally {
    rmSync(probe, { force: true });
  }
}
