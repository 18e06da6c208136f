import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, it } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { postgresUrl } from "../../../../rigs/harness/service/engines.ts";
import { ROOT, sourceFiles } from "../../../../rigs/harness/source-files.ts";
import { PAGES } from "./pages.ts";
import { runScript, scriptOf } from "./shell.ts";

const run = promisify(execFile);
const pages = PAGES.map(({ path, blocks }) => ({
  path,
  blocks: blocks.filter(({ info }) => info === "sh slow"),
})).filter(({ blocks }) => blocks.length > 0);
/** These pages are read in a checkout of the repository, the others next to the packages that a vendor provides. */
const IN_CHECKOUT = ["README.md", "docs/operate/install.md"];
const SIZING = `sizing_${randomUUID().replaceAll("-", "")}`;

describe("the slow shell blocks", () => {
  const postgres = new URL(postgresUrl());
  const postgresVariables = {
    PGHOST: postgres.hostname,
    PGPORT: postgres.port,
    PGUSER: postgres.username,
    PGPASSWORD: postgres.password,
  };
  let folder: string;
  let packages: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-docs-"));
    packages = join(folder, "packages");
    await mkdir(packages);
    // The tests start with a build, so that the package needs no other.
    await run("npm", ["pack", "-w", "@dbdepot/server", "--ignore-scripts", "--pack-destination", packages], {
      cwd: ROOT,
    });
    // The docs use the name under which the service serves the client.
    await cp(join(ROOT, "packages/server/dist/dbdepot-client.tgz"), join(packages, "dbdepot-client.tgz"));
  });
  afterAll(async () => {
    await run("dropdb", ["--if-exists", SIZING], { env: { ...process.env, ...postgresVariables } }).catch(() => {});
    await rm(folder, { recursive: true });
  }, 300_000);

  async function copyOfRepository(): Promise<string> {
    const checkout = join(folder, "checkout");
    if (existsSync(checkout)) return checkout;
    for (const path of sourceFiles()) await cp(join(ROOT, path), join(checkout, path));
    return checkout;
  }

  for (const { path: page, blocks } of pages) {
    const tools = ["curl", "createdb", "psql", "sqlite3"].filter((tool) =>
      blocks.some(({ code }) => code.includes(tool)),
    );
    it(`of ${page} work in order`, needs(...tools), async () => {
      const cwd = IN_CHECKOUT.includes(page) ? await copyOfRepository() : await mkdtemp(join(folder, "directory-"));
      for (const name of await readdir(packages)) await cp(join(packages, name), join(cwd, name));
      const global = join(folder, "global");
      const [port, objectsPort, metricsPort] = await Promise.all([1, 2, 3].map(freePort));
      // Readers who come from another page have installed the dependencies of the checkout already.
      const repeated = existsSync(join(cwd, "node_modules")) ? "npm ci\n" : "";
      const script = scriptOf(blocks)
        .replace(repeated, "")
        .replaceAll("sizing", SIZING)
        .replaceAll("postgres://localhost", postgres.href.replace(/\/[^/]*$/, ""))
        .replaceAll("127.0.0.1:9464", `127.0.0.1:${metricsPort}`);
      const env = {
        ...(process.env as Record<string, string>),
        ...postgresVariables,
        PATH: [join(global, "bin"), join(ROOT, "node_modules/.bin"), process.env.PATH].join(":"),
        npm_config_prefix: global,
        DBDEPOT_PORT: String(port),
        DBDEPOT_OBJECTS_PORT: String(objectsPort),
        DBDEPOT_METRICS_PORT: String(metricsPort),
      };
      await runScript(script, cwd, env);
    });
  }
});
