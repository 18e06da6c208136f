import { execFile, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { Shell } from "./shell.ts";
import { COMMANDS, PROGRAM, wordsOf } from "./tree.ts";

const MAIN = join(import.meta.dirname, "../../src/command/main.ts");
const SHELLS = ["bash", "zsh", "fish"] as const;

describe("completion", () => {
  let shell: Shell;
  const scripts: Record<string, string> = {};
  beforeAll(async () => {
    shell = await Shell.open();
    for (const id of ["vpn_ip_v1", "bogon_ip_v1", "tor_ip_v1"]) await shell.publish(id);
    for (const name of SHELLS) {
      const { out } = await shell.run("completion", name);
      scripts[name] = out;
      await writeFile(shell.path(`completion.${name}`), out);
    }
  });
  afterAll(() => shell.dispose());

  it.each(SHELLS)("%s knows every command and every option", (name) => {
    const script = scripts[name] ?? "";
    for (const command of COMMANDS) {
      for (const word of wordsOf(command).split(" ")) expect(script).toContain(word);
      for (const { long } of [...command.options, ...PROGRAM.options.filter(({ long }) => long !== "--version")]) {
        expect(script).toContain(name === "fish" ? `-l ${long?.slice(2)} ` : long);
      }
    }
  });

  for (const name of SHELLS) {
    it(`${name} parses its script`, needs(name), () => {
      const { status, stderr } = spawnSync(name, ["-n", shell.path(`completion.${name}`)], { encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    });
  }

  /** The completions that bash offers after these words. */
  async function offered(...words: string[]): Promise<string[]> {
    const program = `
      dbdepot() { "${process.execPath}" "${MAIN}" "$@"; }
      source "${shell.path("completion.bash")}"
      COMP_WORDS=(dbdepot "$@"); COMP_CWORD=$#
      _dbdepot
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    // spawnSync would block the service, which runs in this process.
    const options = { env: shell.environment, cwd: shell.folder };
    const { stdout, stderr } = await promisify(execFile)("bash", ["-c", program, "bash", ...words], options);
    expect(stderr).toBe("");
    return stdout.split("\n").filter(Boolean);
  }

  it("bash offers commands", async () => {
    expect(await offered("")).toEqual(
      expect.arrayContaining(["list", "sync", "keys", "config", "completion", "--version"]),
    );
    expect(await offered("")).not.toContain("completion-ids");
    expect(await offered("he")).toEqual(["health"]);
    expect(await offered("keys", "")).toEqual(["create", "list", "rotate", "end-overlap", "revoke", "update"]);
    expect(await offered("keys", "r")).toEqual(["rotate", "revoke"]);
    expect(await offered("config", "i")).toEqual(["init"]);
  });

  it("bash offers the options of a command after arguments and global options", async () => {
    expect(await offered("sync", "--w")).toEqual(["--watch"]);
    expect(await offered("sync", "vpn_ip_v1", "--no")).toEqual(["--no-jitter"]);
    expect(await offered("--config", "x.toml", "sync", "--q")).toEqual(["--quiet"]);
    expect(await offered("keys", "create", "--sc")).toEqual(["--scopes"]);
    expect(await offered("config", "--u")).toEqual(["--url"]);
    expect(await offered("list", "--watch")).toEqual([]);
  });

  it("bash offers values", async () => {
    expect(await offered("download", "vpn_ip_v1", "--format", "")).toEqual(["mmdb", "csvgz"]);
    expect(await offered("sync", "--delivery", "s")).toEqual(["stream"]);
    expect(await offered("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await offered("sync", "--config", "completion.b")).toEqual(["completion.bash"]);
    expect(await offered("sync", "--keep", "")).toEqual([]);
  });

  it("bash offers ids from the service, and nothing if the service is unreachable", async () => {
    expect(await offered("info", "")).toEqual(["bogon_ip_v1", "tor_ip_v1", "vpn_ip_v1"]);
    expect(await offered("sync", "v")).toEqual(["vpn_ip_v1"]);
    expect(await shell.runWith({ DBDEPOT_CLIENT_URL: "http://127.0.0.1:1" }, "completion-ids")).toEqual({
      exitCode: 0,
      out: "",
      err: "",
    });
    expect(await shell.runWith({ DBDEPOT_CLIENT_KEY: "wrong" }, "completion-ids")).toEqual({
      exitCode: 0,
      out: "",
      err: "",
    });
  }, 60_000);
});
