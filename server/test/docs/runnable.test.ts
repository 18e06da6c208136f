import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isInstalled } from "../tools.ts";

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
    const client = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "client/src/command/main.ts")}" "$@"\n`;
    await writeFile(join(folder, "bin/dbdepot"), client, { mode: 0o755 });
    env = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, DBDEPOT_PORT: "0", DBDEPOT_OBJECTS_PORT: "0" };
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function startDemo(directory: string): Promise<Demo> {
    const child = spawn("npx", ["dbdepot-server", "demo", "--json"], {
      cwd: directory,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    for await (const line of createInterface(child.stdout)) {
      printed += line;
      if (line === "}") break;
    }
    const { api_url: url, customers } = JSON.parse(printed);
    return {
      // Without jitter, because sync outside a terminal waits up to five minutes.
      environment: { DBDEPOT_CLIENT_URL: url, DBDEPOT_CLIENT_KEY: customers[0].key, DBDEPOT_CLIENT_JITTER: "0" },
      async [Symbol.asyncDispose]() {
        child.kill();
        await once(child, "close");
      },
    };
  }

  it("exist in the README and in the pages with commands that need nothing else", () => {
    expect(pages.map(({ page }) => page)).toEqual([
      "README.md",
      "docs/customers/quick-start.md",
      "docs/operate/backup.md",
      "docs/operate/licences-and-keys.md",
      "docs/operate/operator-api.md",
      "docs/operate/publish.md",
    ]);
  });

  for (const { page, blocks } of pages) {
    const tools = ["curl", "jq", "mmdblookup"].filter((tool) => blocks.join().includes(tool));
    it.runIf(tools.every(isInstalled))(`of ${page} work in order after the demo has started`, async () => {
      const cwd = await mkdtemp(join(folder, "checkout-"));
      await cp(join(ROOT, "examples"), join(cwd, "examples"), { recursive: true });
      await using demo = await startDemo(cwd);
      // Customers don't have the server's settings, and operators don't have a customer's key.
      const variables = page.startsWith("docs/customers/") ? { PATH: env.PATH, ...demo.environment } : env;
      // One shell per page, so that later blocks can use the variables of earlier ones.
      const script = blocks
        .join("\n")
        .replaceAll("https://depot.example", demo.environment.DBDEPOT_CLIENT_URL)
        .replaceAll("/backups/", `${cwd}/backups/`);
      await expect(run("bash", ["-euo", "pipefail", "-c", script], { cwd, env: variables })).resolves.toBeDefined();
    });
  }
});

interface Demo extends AsyncDisposable {
  /** How to reach it as a customer. */
  environment: Record<"DBDEPOT_CLIENT_URL" | "DBDEPOT_CLIENT_KEY" | "DBDEPOT_CLIENT_JITTER", string>;
}
