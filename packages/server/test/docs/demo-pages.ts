import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { postgresUrl } from "../../../../rigs/harness/service/engines.ts";
import { geoipupdatePath } from "../../../../rigs/harness/service/geoipupdate.ts";
import { ROOT } from "../../../../rigs/harness/source-files.ts";
import { PAGES } from "./pages.ts";
import { runScript, scriptOf } from "./shell.ts";

const run = promisify(execFile);
const DEMO_PAGES = PAGES.map(({ path, blocks }) => ({
  path,
  blocks: blocks.filter(({ info }) => info === "sh"),
  files: blocks.flatMap(({ info, code }) => {
    const name = / file=(.*)/.exec(info)?.[1];
    return name ? [{ name, code }] : [];
  }),
  printed: blocks.filter(({ info }) => info === "text printed").map(({ code }) => code),
})).filter(({ blocks }) => blocks.length > 0);
/** The database that pages read as a table. */
const TABLE = "vpn_ip_v1";
/** Only Debian's own Python can import Debian's Python packages. */
const PYTHON = "/usr/bin/python3";
/** The commands that blocks may use, and what each needs. */
const COMMANDS: Record<string, string[]> = {
  aria2c: ["aria2c"],
  curl: ["curl"],
  geoipupdate: ["geoipupdate 7"],
  jq: ["jq"],
  minisign: ["minisign"],
  mmdblookup: ["mmdblookup"],
  nginx: ["nginx", "/usr/lib/nginx/modules/ngx_http_geoip2_module.so"],
  psql: ["psql"],
  python3: [PYTHON, "/usr/lib/python3/dist-packages/geoip2"],
  sqlite3: ["sqlite3"],
  wget: ["wget"],
};

/** Tests the shell blocks of the pages that `isWanted` selects by their path. */
export function testDemoPages(isWanted: (path: string) => boolean): void {
  const pages = DEMO_PAGES.filter(({ path }) => isWanted(path));
  let folder: string;
  /** A directory in which the demo ran once. Every page starts with a copy, which saves most of the time. */
  let seeded: string;
  let common: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-docs-"));
    const bin = join(folder, "bin");
    await mkdir(bin);
    // A copy, because another test may replace the build in the meantime.
    for (const name of ["package.json", "bin", "dist"]) {
      await cp(join(ROOT, "packages/server", name), join(folder, "server", name), { recursive: true });
    }
    const command = (file: string) => `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`;
    await writeFile(join(bin, "dbdepot-server"), command(join(folder, "server/bin/dbdepot-server.js")), {
      mode: 0o755,
    });
    await writeFile(join(bin, "dbdepot"), command(join(ROOT, "packages/client/src/command/main.ts")), { mode: 0o755 });
    if (existsSync(PYTHON)) await symlink(PYTHON, join(bin, "python3"));
    await writeFile(join(bin, "npx"), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    // The cache halves the time that a command needs to start.
    const path = [bin, dirname(geoipupdatePath(7) ?? bin), process.env.PATH].join(":");
    common = { PATH: path, NODE_COMPILE_CACHE: join(folder, "cache") };
    seeded = await mkdtemp(join(folder, "seeded-"));
    await (await startDemo(seeded))[Symbol.asyncDispose]();
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function startDemo(directory: string): Promise<Demo> {
    const child = spawn("dbdepot-server", ["demo", "--json"], {
      cwd: directory,
      env: { ...common, DBDEPOT_PORT: "0", DBDEPOT_OBJECTS_PORT: "0", DBDEPOT_METRICS_PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    for await (const line of createInterface(child.stdout)) {
      printed += line;
      if (line === "}") break;
    }
    const { api_url: url, customers } = JSON.parse(printed);
    return {
      url,
      key: customers[0].key,
      async [Symbol.asyncDispose]() {
        child.kill();
        await once(child, "close");
      },
    };
  }

  /** Shares a database of the demo as a table, as its operator would. */
  async function shareTable(cwd: string): Promise<void> {
    await run("dbdepot-server", ["versions", "update", TABLE, "--tables", "on"], { cwd, env: common });
  }

  async function tableWritten({ url, key }: Demo): Promise<void> {
    const table = `${url}/delta-sharing/shares/${TABLE.slice(0, -3)}/schemas/default/tables/${TABLE}/version`;
    const status = async () => (await fetch(table, { headers: { authorization: `Bearer ${key}` } })).status;
    await expect.poll(status).toBe(200);
  }

  async function createDatabase(): Promise<Record<string, string>> {
    const { hostname, port, username, password } = new URL(postgresUrl());
    const variables = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password };
    const database = `docs_${randomUUID().replaceAll("-", "")}`;
    const psql = (sql: string) => run("psql", ["-d", "postgres", "-c", sql], { env: { ...common, ...variables } });
    await psql(`create database ${database}`);
    onTestFinished(async () => void (await psql(`drop database ${database} with (force)`)));
    return { ...variables, PGDATABASE: database };
  }

  for (const { path: page, blocks, files, printed } of pages) {
    const tools = Object.keys(COMMANDS).filter((tool) => blocks.some(({ code }) => code.includes(`${tool} `)));
    it(
      `of ${page} work in order after the demo has started`,
      needs(...tools.flatMap((tool) => COMMANDS[tool] ?? [])),
      async () => {
        const cwd = await mkdtemp(join(folder, "checkout-"));
        await cp(join(ROOT, "examples"), join(cwd, "examples"), { recursive: true });
        await mkdir(join(cwd, ".config/fish/completions"), { recursive: true });
        await cp(join(seeded, "data"), join(cwd, "data"), { recursive: true });
        const needsTable = blocks.some(({ code }) => code.includes("/delta-sharing/"));
        if (needsTable) await shareTable(cwd);
        await using demo = await startDemo(cwd);
        if (needsTable) await tableWritten(demo);
        const [port, objectsPort, metricsPort, nginxPort] = await Promise.all([1, 2, 3, 4].map(freePort));
        const adapt = (text: string) =>
          text
            .replaceAll("https://depot.example", demo.url)
            .replaceAll("dbd_...", demo.key)
            .replaceAll("127.0.0.1:9464", `127.0.0.1:${metricsPort}`)
            .replaceAll("127.0.0.1:8088", `127.0.0.1:${nginxPort}`)
            .replaceAll(/(?<= )\/(?=backups\/|srv\/mirror|var\/lib\/)/g, `${cwd}/`);
        for (const { name, code } of files) await writeFile(join(cwd, name), adapt(code));
        await symlink(join(ROOT, "node_modules"), join(cwd, "node_modules"));
        const env = {
          ...common,
          HOME: cwd,
          npm_config_prefix: join(cwd, "global"),
          DBDEPOT_PORT: String(port),
          DBDEPOT_OBJECTS_PORT: String(objectsPort),
          DBDEPOT_METRICS_PORT: String(metricsPort),
          DBDEPOT_CLIENT_ADMIN_KEY: demo.key,
          // Jitter is off, because sync outside a terminal waits up to five minutes.
          DBDEPOT_CLIENT_JITTER: "0",
          ...(tools.includes("psql") && (await createDatabase())),
        };
        const output = await runScript(adapt(scriptOf(blocks)), cwd, env);
        for (const text of printed) expect(output).toContain(text);
      },
    );
  }
}

interface Demo extends AsyncDisposable {
  url: string;
  /** A customer's key. */
  key: string;
}
