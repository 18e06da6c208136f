import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programEnvironment } from "../../../rigs/harness/program-environment.ts";
import { Shell } from "./command/shell.ts";
import { otherNode } from "./other-node.ts";
import { CLIENT_TARBALL } from "./package.ts";

const run = promisify(execFile);
const CLIENT = join(import.meta.dirname, "..");
const ID = "vpn_ip_v1";

describe.each([
  ["Node 22", () => otherNode(22)],
  ["Node 24", async () => process.execPath],
])("the package installed with npm on %s", (name, findNode) => {
  let shell: Shell;
  let directory: string;
  let node: string;
  beforeAll(async () => {
    node = await findNode();
    directory = await mkdtemp(join(tmpdir(), "dbdepot-install-"));
    await writeFile(join(directory, "package.json"), "{}");
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", CLIENT_TARBALL], { cwd: directory });
    shell = await Shell.open();
    await shell.publish(ID);
  }, 240_000);
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
    await shell.dispose();
  });

  const dbdepot = (...argv: string[]) =>
    run(node, [join(directory, "node_modules/.bin/dbdepot"), ...argv], {
      env: { ...programEnvironment(), ...shell.environment },
      cwd: shell.folder,
    });

  it("runs on that version", async () => {
    expect((await run(node, ["--version"])).stdout).toMatch(`v${name.split(" ")[1]}.`);
  });

  it("contains README and LICENSE, and installs nothing else", async () => {
    const installed = join(directory, "node_modules/@dbdepot/client");
    expect(await readFile(join(installed, "README.md"), "utf8")).toContain("# @dbdepot/client");
    expect(await readFile(join(installed, "LICENSE"), "utf8")).toBe(
      await readFile(join(CLIENT, "../../LICENSE"), "utf8"),
    );
    expect(await readFile(join(installed, "dist/THIRD_PARTY_LICENSES.txt"), "utf8")).toMatch(/^undici \d/m);
    expect(await readFile(join(installed, "dist/THIRD_PARTY_LICENSES.txt"), "utf8")).toMatch(
      /^@modelcontextprotocol\/sdk \d/m,
    );
    const lock = JSON.parse(await readFile(join(directory, "package-lock.json"), "utf8"));
    expect(Object.keys(lock.packages)).toEqual(["", "node_modules/@dbdepot/client"]);
  });

  it.each([
    [["list"], "licensed"],
    [["info", ID], "provider"],
    [["sync", ID, "--formats", "mmdb,csvgz", "--keep", "1", "--hook", "true"], "2 changed"],
    [["sync", ID], "1 unchanged"],
    [["verify", ID], "ok"],
    [["health"], "ok"],
    [["history"], ID],
    [["keys", "list"], "db.download"],
    [["doctor"], "ok    storage"],
    [["config"], "http://127.0.0.1"],
    [["completion", "bash"], "complete -o default"],
    [["--help"], "Usage: dbdepot"],
  ])("runs dbdepot %j", async (argv, output) => {
    const { stdout, stderr } = await dbdepot(...argv);
    expect(stdout).toContain(output);
    expect(stderr).toBe("");
  });

  it("answers a host with dbdepot mcp", async () => {
    const client = new Client({ name: "test", version: "1" });
    const args = [join(directory, "node_modules/.bin/dbdepot"), "mcp"];
    await client.connect(new StdioClientTransport({ command: node, args, env: shell.environment, cwd: shell.folder }));
    const { structuredContent } = await client.callTool({ name: "database_metadata", arguments: { id: ID } });
    expect(structuredContent).toMatchObject({ id: ID, entries: 100 });
    await client.close();
  });

  it("exits with 4 for a database without a licence", async () => {
    await expect(dbdepot("download", "tor_ip_v1")).rejects.toMatchObject({ code: 4 });
  });

  it("downloads both formats to a path and to a stream", async () => {
    const { files } = await shell.publish(ID, { mark: "library", rows: 20_000 });
    await writeFile(
      join(directory, "program.mjs"),
      `import { createWriteStream } from "node:fs";
       import { DbdepotClient } from "@dbdepot/client";
       const [baseUrl, apiKey] = process.argv.slice(2);
       const client = new DbdepotClient({ baseUrl, apiKey });
       for (const format of ["mmdb", "csvgz"]) {
         for (const to of ["path." + format, createWriteStream("stream." + format)]) await client.download("${ID}", format, { to });
       }`,
    );
    await run(node, ["program.mjs", shell.customer.apiUrl, shell.customer.key], { cwd: directory });
    for (const format of ["mmdb", "csvgz"] as const) {
      for (const name of ["path", "stream"]) {
        expect(await readFile(join(directory, `${name}.${format}`))).toEqual(files[format]);
      }
    }
  });
});

it("tells users of an older Node.js which version it needs", async () => {
  const node = await otherNode(20);
  const { stdout } = await run(node, ["--version"]);
  await expect(run(node, [join(CLIENT, "bin/dbdepot.js"), "--help"])).rejects.toMatchObject({
    code: 1,
    stderr: `dbdepot needs Node.js 22.19 or newer; this is ${stdout.trim().slice(1)}.\n`,
  });
}, 120_000);
