#!/usr/bin/env node
// Plain JavaScript, so that an old Node.js can run this file and print the message below.
import { existsSync } from "node:fs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isSupported = major > 22 || (major === 22 && minor >= 19);
/** In a checkout, Node.js 24 runs the TypeScript source without a build. */
const source = new URL("../src/command/main.ts", import.meta.url);
const built = new URL("../dist/command/main.js", import.meta.url);

if (!isSupported) {
  fail(`dbdepot needs Node.js 22.19 or newer; this is ${process.versions.node}.`);
} else if (major >= 24 && existsSync(source)) {
  await import(source.href);
} else if (existsSync(built)) {
  await import(built.href);
} else {
  fail('dbdepot is not built. Run "npm run build -w packages/client" in the checkout, with Node.js 24 or newer.');
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
