import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { call } from "../../../rigs/harness/service/customer.ts";
import { geoipupdatePath } from "../../../rigs/harness/service/geoipupdate.ts";
import { personOf } from "../../server/test/routes/console/person.ts";
import { WITH_NPM } from "../src/pages/databases/client-install.ts";
import { SNIPPETS } from "../src/pages/databases/snippet-texts.ts";
import { verifyCommand } from "../src/pages/databases/verify-command.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../../..");
const ID = "bogon_ip_v2";

/** How to run a snippet that is stored in a file, and which tools that needs. */
const RUNNERS: Record<string, { tools: string[]; file: string; command: string[]; output: string }> = {
  curl: { tools: ["curl"], file: "snippet.sh", command: ["bash", "-e"], output: `${ID}.mmdb` },
  "dbdepot sync": { tools: [], file: "snippet.sh", command: ["bash", "-e"], output: `databases/${ID}.mmdb` },
  "Node.js": { tools: [], file: "snippet.mjs", command: ["node"], output: `${ID}.mmdb` },
  Python: { tools: ["python3"], file: "snippet.py", command: ["python3"], output: `${ID}.mmdb` },
  Go: { tools: ["go"], file: "snippet.go", command: ["go", "run"], output: `${ID}.mmdb` },
  geoipupdate: { tools: ["geoipupdate 7"], file: "snippet.sh", command: ["bash", "-e"], output: `${ID}.mmdb` },
};

describe("a snippet", () => {
  let depot: Depot;
  let key: string;
  let expected: Buffer;
  let folder: string;
  let accountId: number;
  const PATH = [join(ROOT, "node_modules/.bin"), dirname(geoipupdatePath(7) ?? "/"), process.env.PATH].join(":");
  beforeAll(async () => {
    depot = await startDepot();
    const admin = await personOf(depot.running, "admin@example.com", "admin", ORGANIZATION);
    key = (await admin.post("/api/v1/iam/apikeys", { name: "snippets", allowed_scopes: ["db.download"] })).json.key;
    accountId = (await admin.get("/api/console/session")).json.account.organization.account_id;
    const { objects, register } = depot.running.service.services;
    expected = await buffer(await objects.read(register.offer(ID)?.build?.files.mmdb?.objectKey ?? ""));
    expect((await call(`${depot.url}/api/v2/database/list`, { headers: { "x-api-key": key } })).status).toBe(200);
  });
  afterAll(() => depot?.dispose());

  for (const { name, text } of SNIPPETS) {
    const runner = RUNNERS[name];
    if (!runner) continue;
    it(`for ${name} downloads the file`, needs(...runner.tools), async () => {
      folder = await mkdtemp(join(tmpdir(), "dbdepot-snippet-"));
      try {
        await installClient(folder);
        const path = join(folder, runner.file);
        const install = WITH_NPM.lines(depot.url);
        await writeFile(path, text({ url: depot.url, id: ID, format: "mmdb", accountId, key, install }));
        const [command = "", ...options] = runner.command;
        const env = {
          ...process.env,
          PATH,
          DBDEPOT_CLIENT_KEY: key,
          DBDEPOT_CLIENT_JITTER: "0s",
          npm_config_prefix: folder,
        };
        await run(command, [...options, path], { cwd: folder, env });
        expect((await readFile(join(folder, runner.output))).equals(expected)).toBe(true);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }

  it("for a signed build verifies its manifest and the file", needs("minisign", "jq"), async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-snippet-"));
    try {
      const { sequence = 0 } = depot.running.service.services.register.manifest(ID) ?? {};
      const publicKey = (await call(`${depot.url}/.well-known/dbdepot-keys.json`)).json.keys[0].public_key;
      const command = verifyCommand({ url: depot.url, id: ID, sequence, publicKey, files: { mmdb: true } });
      const env = { ...process.env, DBDEPOT_CLIENT_KEY: key };
      await writeFile(join(folder, `${ID}.mmdb`), expected);
      const { stdout } = await run("bash", ["-e", "-c", command], { cwd: folder, env });
      expect(stdout).toContain("Signature and comment signature verified");
      expect(stdout).toContain(`${ID}.mmdb: OK`);
      await writeFile(join(folder, `${ID}.mmdb`), "changed");
      await expect(run("bash", ["-e", "-c", command], { cwd: folder, env })).rejects.toThrow();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("for Docker is valid shell and names the database and the server", () => {
    const docker = SNIPPETS.find(({ name }) => name === "Docker")?.text({
      url: depot.url,
      id: ID,
      format: "mmdb",
      accountId,
      key,
      install: "",
    });
    expect(spawnSync("bash", ["-n", "-c", docker ?? "("]).status).toBe(0);
    expect(docker).toContain(`DBDEPOT_CLIENT_URL="${depot.url}"`);
    expect(docker).toContain(`DBDEPOT_CLIENT_DATABASES=${ID}`);
  });
});

/** Makes `@dbdepot/client` available like `npm install` does, from its source. */
async function installClient(folder: string): Promise<void> {
  const target = join(folder, "node_modules/@dbdepot/client");
  await mkdir(target, { recursive: true });
  await writeFile(join(target, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }));
  const source = pathToFileURL(join(ROOT, "packages/client/src/index.ts")).href;
  await writeFile(join(target, "index.js"), `export * from ${JSON.stringify(source)};\n`);
}
