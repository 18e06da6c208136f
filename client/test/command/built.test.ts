import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Desk } from "./desk.ts";

const CLIENT = join(import.meta.dirname, "../..");
/** The oldest that customers may have; npm brings it for this. */
const NODE_20 = join(CLIENT, "node_modules/.bin/node");
const run = promisify(execFile);

describe("the command, built, on the oldest Node.js that it promises to run on", () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
    await desk.publish("vpn_ip_v1");
    await run(process.execPath, [join(CLIENT, "build.ts"), desk.path("app/dist")]);
    for (const name of ["bin", "package.json"])
      await cp(join(CLIENT, name), desk.path("app", name), { recursive: true });
  }, 120_000);
  afterAll(() => desk.dispose());

  const dbdepot = async (...argv: string[]) =>
    run(NODE_20, [desk.path("app/bin/dbdepot.js"), ...argv], { env: desk.environment, cwd: desk.folder });

  it("is that version", async () => {
    expect((await run(NODE_20, ["--version"])).stdout).toMatch(/^v20\./);
  });

  it.each([
    [["list"], "licensed"],
    [["info", "vpn_ip_v1"], "provider"],
    [["sync", "vpn_ip_v1", "--formats", "mmdb,csvgz", "--keep", "1", "--hook", "true"], "2 changed"],
    [["sync", "vpn_ip_v1"], "1 unchanged"],
    [["verify", "vpn_ip_v1"], "and opens"],
    [["health"], "ok"],
    [["history"], "vpn_ip_v1"],
    [["keys", "list"], "works"],
    [["doctor"], "ok    storage"],
    [["config"], "DBDEPOT_URL"],
    [["completion", "bash"], "complete -o default"],
    [["--help"], "Usage: dbdepot"],
  ])("runs %j", async (argv, says) => {
    const { stdout, stderr } = await dbdepot(...argv);
    expect(stdout).toContain(says);
    expect(stderr).toBe("");
  });

  it("tells by its exit code", async () => {
    await expect(dbdepot("download", "tor_ip_v1")).rejects.toMatchObject({ code: 4 });
  });
});
