#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --max-semi-space-size=2 --no-maglev --concurrent-recompilation-queue-length=1
// Plain JavaScript, so that a Node.js too old to run the rest can still say so. What V8 has to know before it starts stands
// in the first line, of which older systems read 127 characters; the rest in `setUpV8`. The small young generation and one
// arena for all threads keep a server that streams a gigabyte under 100 MB instead of at 130. The middle one of V8's
// compilers is left out: its work takes up to 12 MB that are not given back, and no rate is higher for it. The last one has
// a short list of what to do, which takes 4 MB less (docs/performance.md).
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

const wanted = 24;
const major = Number(process.versions.node.split(".")[0]);
const home = fileURLToPath(new URL("../..", import.meta.url));

if (major < wanted) {
  process.stderr.write(
    `dbdepot-server needs Node.js ${wanted} or newer and this is ${process.versions.node}: ` +
      `run it as "npx dbdepot-server" after "npm ci", which brings the right one.\n`,
  );
  process.exitCode = 1;
} else {
  setUpV8();
  // Kept where only the owner of the installation can write. Threads look into the environment for the place.
  process.env.NODE_COMPILE_CACHE ??= join(home, "node_modules/.cache/dbdepot");
  // Not known to those that are too old.
  const { enableCompileCache } = await import("node:module");
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const { main } = await import(isBundled() ? "../dist/main.js" : "../src/main.ts");
  process.exitCode = await main(process.argv.slice(2));
}

function setUpV8() {
  // A heap that grows by tenths keeps a server with a million keys under load at 380 MB instead of 700, at the same speed.
  setFlagsFromString("--heap-growing-percent=10");
  // Twice as much may be compiled together: 4 % less for a request, and processes differ less from each other.
  setFlagsFromString("--max-inlined-bytecode-size=920");
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=1840");
}

/** Whether server/dist was made from the source as it is now. To look takes some milliseconds; a stale bundle costs hours. */
function isBundled() {
  const bundled = statSync(join(home, "server/dist/main.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const folders = ["contract", "exporter", "mmdb", "server", "terminal"].map((name) => join(home, name, "src"));
  return bundled > 0 && folders.every((folder) => !existsSync(folder) || newestIn(folder) < bundled);
}

function newestIn(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    newest = Math.max(newest, entry.isDirectory() ? newestIn(path) : statSync(path).mtimeMs);
  }
  return newest;
}
