#!/usr/bin/env node
// Plain JavaScript, so that a Node.js too old to run the rest can still say so.
import { existsSync } from "node:fs";

const oldest = 20;
/** Runs TypeScript as it is: where the source lies beside this, nothing need be built. */
const runsSource = 24;
const major = Number(process.versions.node.split(".")[0]);
const source = new URL("../src/command/main.ts", import.meta.url);
const built = new URL("../dist/command/main.js", import.meta.url);

if (major < oldest) {
  process.stderr.write(`dbdepot needs Node.js ${oldest} or newer, and this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else if (major >= runsSource && existsSync(source)) {
  await import(source.href);
} else if (existsSync(built)) {
  await import(built.href);
} else {
  process.stderr.write(`dbdepot is not built for Node.js ${process.versions.node}: run "npm run build -w client".\n`);
  process.exitCode = 1;
}
