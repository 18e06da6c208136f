#!/usr/bin/env node
// Plain JavaScript, so that a Node.js too old to run the rest can still say so.
const wanted = 24;
const major = Number(process.versions.node.split(".")[0]);

if (major < wanted) {
  process.stderr.write(
    `dbdepot-server needs Node.js ${wanted} or newer and this is ${process.versions.node}: ` +
      `run it as "npx dbdepot-server" after "npm ci", which brings the right one.\n`,
  );
  process.exitCode = 1;
} else {
  const { main } = await import("../src/main.ts");
  process.exitCode = await main(process.argv.slice(2));
}
