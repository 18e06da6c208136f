import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";

const run = promisify(execFile);
const SERVER = join(import.meta.dirname, "../..");
const ID = "tor_exit_ip_v1";
/** A user without a name or a home, as in a container. Only root can start processes as another user. */
const user = process.getuid?.() === 0 ? { uid: 54_321, gid: 54_321 } : {};

/** Installs and runs it as deploy/docker/Dockerfile does. */
describe("the server installed from npm pack, as another user with a read-only tree", () => {
  let folder: string;
  let installed: string;
  let data: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-install-"));
    [installed, data] = [join(folder, "installed"), join(folder, "data")];
    await mkdir(installed);
    await mkdir(data);
    // The tests start with a build, so that the package needs no other.
    const options = ["--json", "--ignore-scripts", "--pack-destination", folder];
    const { stdout } = await run("npm", ["pack", ...options], { cwd: SERVER });
    const [{ filename }] = JSON.parse(stdout);
    const where = ["--global", "--prefix", installed, "--offline", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...where, join(folder, filename)], { cwd: folder });
    await cp(join(SERVER, "../../examples/tor_exit_ip.csv"), join(installed, "tor_exit_ip.csv"));
    await run("chmod", ["-R", "a-w,a+rX", installed]);
    await chmod(folder, 0o755);
    if (user.uid !== undefined) await chown(data, user.uid, user.gid);
    const [port, objectsPort, metricsPort] = await Promise.all([1, 2, 3].map(freePort));
    env = {
      DBDEPOT_DATA_DIR: join(data, "depot"),
      DBDEPOT_PORT: String(port),
      DBDEPOT_OBJECTS_PORT: String(objectsPort),
      DBDEPOT_METRICS_PORT: String(metricsPort),
    };
  }, 300_000);
  afterAll(async () => {
    await run("chmod", ["-R", "u+w", installed]);
    await rm(folder, { recursive: true });
  });

  const argv = (args: string[]) => [join(installed, "bin/dbdepot-server"), ...args];
  const dbdepotServer = async (...args: string[]) =>
    (await run(process.execPath, argv(args), { cwd: installed, env, ...user })).stdout;

  async function serve(): Promise<ChildProcess> {
    const server = spawn(process.execPath, argv(["serve"]), {
      cwd: installed,
      env,
      stdio: ["ignore", "ignore", "inherit"],
      ...user,
    });
    const ready = async () => (await fetch(`http://127.0.0.1:${env.DBDEPOT_PORT}/readyz`)).status;
    await expect.poll(() => ready().catch(() => 0)).toBe(200);
    return server;
  }

  it("contains README, LICENSE, third-party licences and an SBOM, and installs nothing else", async () => {
    const directory = join(installed, "lib/node_modules/@dbdepot/server");
    expect((await readdir(directory)).sort()).toEqual(["LICENSE", "README.md", "bin", "dist", "package.json"]);
    expect(await readFile(join(directory, "LICENSE"), "utf8")).toBe(
      await readFile(join(SERVER, "../../LICENSE"), "utf8"),
    );
    expect(await readFile(join(directory, "dist/THIRD_PARTY_LICENSES.txt"), "utf8")).toMatch(/^fastify \d/m);
    expect(JSON.parse(await readFile(join(directory, "dist/sbom.cdx.json"), "utf8")).bomFormat).toBe("CycloneDX");
    expect(await readdir(join(installed, "lib/node_modules"))).toEqual(["@dbdepot"]);
    expect(await readdir(join(installed, "lib/node_modules/@dbdepot"))).toEqual(["server"]);
  });

  it("publishes, serves, answers health checks, lets a customer download, and stops on SIGTERM", async () => {
    const built = join(data, "build");
    await dbdepotServer("families", "add", "tor_exit_ip", "--name", "Tor exit nodes");
    await dbdepotServer("versions", "add", ID, "--summary", "Tor exit nodes", "--formats", "csvgz,mmdb");
    await dbdepotServer("export", "tor_exit_ip.csv", "--id", ID, "--out", built);
    const server = await serve();
    const files = ["--csvgz", `${ID}.csv.gz`, "--mmdb", `${ID}.mmdb`, "--metadata", `${ID}.metadata.json`];
    await dbdepotServer(
      "builds",
      "publish",
      ID,
      ...files.map((part) => (part.startsWith("--") ? part : join(built, part))),
    );
    await dbdepotServer("orgs", "add", "Acme");
    await dbdepotServer("licences", "grant", "Acme", "tor_exit_ip", "--redistribution", "internal");
    const { key } = JSON.parse(
      await dbdepotServer("keys", "create", "--org", "Acme", "--name", "ci", "--scopes", "db.download", "--json"),
    );
    const api = `http://127.0.0.1:${env.DBDEPOT_PORT}`;
    expect((await fetch(`${api}/healthz`)).status).toBe(200);
    expect(await (await fetch(`http://127.0.0.1:${env.DBDEPOT_METRICS_PORT}/metrics`)).text()).toContain(
      "dbdepot_storage_up 1",
    );
    expect((await fetch(`${api}/docs`)).status).toBe(200);
    const headers = { "x-api-key": key };
    const url = `${api}/api/v2/database/download?id=${ID}&format=mmdb`;
    await expect.poll(async () => (await fetch(url, { headers, redirect: "manual" })).status).toBe(302);
    const file = Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
    expect(file).toEqual(await readFile(join(built, `${ID}.mmdb`)));
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([0, null]);
    const [{ actor }] = JSON.parse(await dbdepotServer("audit", "--json"));
    expect(actor).toBe(user.uid === undefined ? expect.any(String) : "command:uid-54321");
  });

  it("serves with several processes", async () => {
    env.DBDEPOT_WORKERS = "2";
    const server = await serve();
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([0, null]);
  });

  it("passes its own doctor", async () => {
    expect(await dbdepotServer("doctor")).toContain("ok");
  });
});
