import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../../..");

/** The pages with blocks that start with "```sh runnable". They are run as they stand, from the root of a checkout. */
const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: ROOT, encoding: "utf8" })
  .trim()
  .split("\n")
  .map((page) => ({ page, blocks: runnableBlocks(readFileSync(join(ROOT, page), "utf8")) }))
  .filter(({ blocks }) => blocks.length > 0);

function runnableBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh runnable\n(.*?)^```$/gms)].map(([, code = ""]) => code);
}

describe("the runnable shell blocks", () => {
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-docs-"));
    await run(process.execPath, [join(ROOT, "server/build.ts"), join(folder, "dist")]);
    await writeFile(
      join(folder, "command.mjs"),
      'import { main } from "./dist/main.js";\nprocess.exitCode = await main(process.argv.slice(2));\n',
    );
    await mkdir(join(folder, "bin"));
    const npx = `#!/bin/sh\n[ "$1" = dbdepot-server ] || exit 127\nshift\nexec "${process.execPath}" "${folder}/command.mjs" "$@"\n`;
    await writeFile(join(folder, "bin/npx"), npx, { mode: 0o755 });
    env = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, DBDEPOT_PORT: "0", DBDEPOT_OBJECTS_PORT: "0" };
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** A directory like a checkout after `npm start`, which filled `./data` with the demo. */
  async function directoryAfterDemo(): Promise<string> {
    const directory = await mkdtemp(join(folder, "checkout-"));
    await cp(join(ROOT, "examples"), join(directory, "examples"), { recursive: true });
    const demo = spawn("npx", ["dbdepot-server", "demo"], {
      cwd: directory,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const line of createInterface(demo.stdout)) if (line.includes("http://")) break;
    demo.stdout.resume();
    demo.kill();
    await once(demo, "close");
    return directory;
  }

  it("exist in the README and in the page about publishing", () => {
    expect(pages.map(({ page }) => page)).toEqual(expect.arrayContaining(["README.md", "docs/operate/publish.md"]));
  });

  it.each(pages)("of $page work in order after the demo", async ({ blocks }) => {
    const cwd = await directoryAfterDemo();
    for (const block of blocks) {
      await expect(run("bash", ["-euo", "pipefail", "-c", block], { cwd, env })).resolves.toBeDefined();
    }
  });
});
