#!/bin/sh
//usr/bin/env true; exec /usr/bin/env node -- "$0" "$@"
// The shell runs the line above, which is a comment in JavaScript. Without the "--", Node.js would take our
// option --env-file for its own, and fail with its own message if the file does not exist.
//
// Plain JavaScript, so that a Node.js too old for the rest can still print this message.
import { existsSync } from "node:fs";

const requiredMajor = 24;
const major = Number(process.versions.node.split(".")[0]);
const bundle = new URL("../dist/main.js", import.meta.url);

if (major < requiredMajor) {
  fail(
    `dbdepot-server needs Node.js ${requiredMajor} or newer, but this is ${process.versions.node}. ` +
      'Install it from https://nodejs.org. In a checkout, "npm ci" installs it for "npx dbdepot-server".',
  );
} else if (!existsSync(bundle)) {
  fail('dbdepot-server is not built yet: run "npm run build".');
} else {
  // The reader may stop early, as in `dbdepot-server audit | head -1`: exit without an error message.
  process.stdout.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(1);
  });
  const { main } = await import(bundle.href);
  process.exitCode = await main(process.argv.slice(2));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
