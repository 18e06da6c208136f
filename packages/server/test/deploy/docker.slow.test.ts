import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, sourceFiles } from "../../../../rigs/harness/source-files.ts";

const run = promisify(execFile);
const read = (name: string) => readFile(join(ROOT, "deploy/docker", name), "utf8");
const lines = (text: string) => text.trim().split("\n");

/** Docker cannot pull an image here, so its commands run in a copy of the files that it would copy. */
describe("the first stage of deploy/docker/Dockerfile", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-docker-"));
    const ignored = lines(await read("Dockerfile.dockerignore"));
    for (const path of sourceFiles().filter((each) => isInContext(each, ignored))) {
      await cp(join(ROOT, path), join(folder, "src", path), { recursive: true });
    }
    const [, command = ""] = /^COPY \. \.\nRUN ((?:.*\\\n)*.*)$/m.exec(await read("Dockerfile")) ?? [];
    const script = command.replaceAll("/tmp", folder).replaceAll("/opt/dbdepot", join(folder, "installed"));
    const env = { ...process.env, DBDEPOT_BUILD_COMMIT: "0123456789ab", npm_config_prefer_offline: "true" };
    await run("sh", ["-ec", script], { cwd: join(folder, "src"), env, maxBuffer: 100_000_000 });
  }, 900_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("installs a server that knows its commit", async () => {
    const { stdout } = await run(join(folder, "installed/bin/dbdepot-server"), ["--version"]);
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    expect(stdout).toBe(`dbdepot-server ${version} (0123456789ab)\n`);
  });

  it("installs the same files as a release", async () => {
    const pack = ["pack", "--json", "--dry-run", "--ignore-scripts", "--workspace", "@dbdepot/server"];
    const [{ files }] = JSON.parse((await run("npm", pack, { cwd: ROOT, maxBuffer: 100_000_000 })).stdout);
    const { stdout } = await run("find", [".", "-type", "f"], {
      cwd: join(folder, "installed/lib/node_modules/@dbdepot/server"),
    });
    const installed = lines(stdout).map((path) => path.replace("./", ""));
    const released: string[] = files.map(({ path }: { path: string }) => path);
    // The names of bundled files contain a digest of their content, which contains the commit.
    const stable = (path: string) => path.replace(/-[\w-]{8}(?=\.)/, "");
    expect(installed.map(stable).sort()).toEqual(released.map(stable).sort());
  });
});

/** The last pattern that matches a path or one of its folders decides. */
function isInContext(path: string, patterns: readonly string[]): boolean {
  const folders: string[] = [];
  for (let each = path; each !== "."; each = dirname(each)) folders.push(each);
  const last = patterns.findLast((pattern) => folders.some((each) => matchesGlob(each, pattern.replace("!", ""))));
  return last === undefined || last.startsWith("!");
}
