import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { programEnvironment } from "../../../../rigs/harness/program-environment.ts";
import { Shell } from "./shell.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples");
const MAIN = join(import.meta.dirname, "../../src/command/main.ts");
const run = promisify(execFile);

describe("the examples", () => {
  let shell: Shell;
  let environment: Record<string, string>;
  beforeAll(async () => {
    shell = await Shell.open();
    await shell.publish("vpn_ip_v1", { rows: 200 });
    await mkdir(shell.path("bin"));
    await writeFile(shell.path("bin", "dbdepot"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, {
      mode: 0o755,
    });
    await mkdir(shell.path("etc"));
    await writeFile(shell.path("etc", "key"), `${shell.customer.key}\n`, { mode: 0o600 });
    const path = [shell.path("bin"), process.env.PATH, "/usr/sbin"].join(":");
    environment = { ...programEnvironment(), PATH: path, HOME: shell.folder, DBDEPOT_CLIENT_JITTER: "0" };
  });
  afterAll(async () => {
    await writeFile(shell.path("etc", "key"), "");
    await shell.dispose();
  });

  /** Reads an example, with system paths replaced by paths in the shell's directory. */
  async function example(...names: string[]): Promise<string> {
    return (await readFile(join(EXAMPLES, ...names), "utf8"))
      .replaceAll("https://depot.example", shell.customer.apiUrl)
      .replaceAll("/etc/dbdepot", shell.path("etc"))
      .replaceAll("/var/lib/dbdepot", shell.path("var", names[0] ?? ""))
      .replaceAll("/usr/local/bin/dbdepot", shell.path("bin", "dbdepot"));
  }

  const sh = (line: string, more: Record<string, string> = {}) =>
    run("sh", ["-c", line], { env: { ...environment, ...more }, cwd: shell.folder });

  async function expectFetched(...folder: string[]): Promise<void> {
    expect((await stat(shell.path(...folder))).size).toBeGreaterThan(0);
  }

  it("are all listed in the README", async () => {
    const readme = await readFile(join(EXAMPLES, "README.md"), "utf8");
    const folders = (await readdir(EXAMPLES, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    for (const { name } of folders) expect(readme).toContain(`[${name}/](${name}/)`);
  });

  it("cron: the line runs, and prints nothing the second time", async () => {
    await writeFile(shell.path("etc", "dbdepot.toml"), await example("cron", "dbdepot.toml"));
    const lines = (await example("cron", "dbdepot"))
      .split("\n")
      .filter((line) => line !== "" && !/^#|^[A-Z]+=/.test(line));
    const [, user, command = ""] = /^\d+ \* \* \* \* (\S+) (.*)$/.exec(lines[0] ?? "") ?? [];
    expect({ user, count: lines.length }).toEqual({ user: "dbdepot", count: 1 });
    expect((await sh(command)).stdout).toMatch(/^changed +vpn_ip_v1\.mmdb/);
    expect(await sh(command)).toEqual({ stdout: "", stderr: "" });
    await expectFetched("var", "cron", "vpn_ip_v1.mmdb");
  });

  it("systemd: the command of the service works", async () => {
    const service = await example("systemd", "dbdepot.service");
    const start = /^ExecStart=(.*)$/m.exec(service)?.[1] ?? "";
    const variables = [...service.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
    const { DBDEPOT_CLIENT_KEY_FILE: keyFile, ...more } = Object.fromEntries(variables);
    expect(keyFile).toBe("%d/key");
    await sh(start, { ...more, DBDEPOT_CLIENT_KEY_FILE: shell.path("etc", "key") });
    await expectFetched("var", "systemd", "vpn_ip_v1.mmdb");
  });

  it("systemd: the units pass systemd-analyze", needs("systemd-analyze"), async () => {
    const [service, timer] = [await example("systemd", "dbdepot.service"), await example("systemd", "dbdepot.timer")];
    await writeFile(shell.path("dbdepot.service"), service);
    await writeFile(shell.path("dbdepot.timer"), timer);
    const { stderr } = await run("systemd-analyze", [
      "verify",
      shell.path("dbdepot.service"),
      shell.path("dbdepot.timer"),
    ]);
    expect(stderr.split("\n").filter((line) => line.includes("dbdepot."))).toEqual([]);
  });

  it("container: the image and the probes work with only the volume writable", async () => {
    const dockerfile = await readFile(join(EXAMPLES, "container", "Dockerfile"), "utf8");
    const list = (pattern: RegExp): string[] => JSON.parse(pattern.exec(dockerfile)?.[1] ?? "[]");
    const [entry, command, health] = [
      list(/^ENTRYPOINT (.*)$/m),
      list(/^CMD (.*)$/m),
      list(/^HEALTHCHECK.* CMD (.*)$/m),
    ];
    expect(dockerfile).toMatch(/^USER (?!0)\d+:\d+$/m);
    const compose = await example("container", "compose.yaml");
    const pod = await example("container", "pod.yaml");
    for (const text of [compose, pod]) {
      for (const name of ["DBDEPOT_CLIENT_URL", "DBDEPOT_CLIENT_DATABASES", "DBDEPOT_CLIENT_KEY_FILE"])
        expect(text).toContain(name);
      expect(text).toMatch(/read_only: true|readOnlyRootFilesystem: true/);
    }
    const probes = [...pod.matchAll(/command: (\[.*\])/g)].map(([, words = ""]) => JSON.parse(words) as string[]);
    await mkdir(shell.path("volume"));
    const env = {
      ...environment,
      DBDEPOT_CLIENT_URL: shell.customer.apiUrl,
      DBDEPOT_CLIENT_DATABASES: "vpn_ip_v1",
      DBDEPOT_CLIENT_KEY_FILE: shell.path("etc", "key"),
      DBDEPOT_CLIENT_DIRECTORY: shell.path("volume"),
    };
    const probe = ([program = "", ...argv]: string[]) => run(program, argv, { env, cwd: "/" });
    await expect(probe(health)).rejects.toMatchObject({ code: 1 });
    const [program = "", ...argv] = [...entry, ...command];
    const sidecar = spawn(program, argv, { env, cwd: "/" });
    const ended = shell.ended(sidecar);
    await once(sidecar.stdout, "data");
    for (const words of [health, ...probes]) await probe(words);
    expect(probes).toHaveLength(2);
    sidecar.kill("SIGTERM");
    expect(await ended).toMatchObject({ exitCode: 0, err: "" });
    await expectFetched("volume", "vpn_ip_v1.mmdb");
  });

  it("GitHub Actions: the steps run", async () => {
    const workflow = await example("github-actions", "databases.yml");
    const steps = [...workflow.matchAll(/^ +- run: (.*)$/gm)].map(([, line = ""]) => line);
    expect(steps).toHaveLength(4);
    const more = {
      npm_config_prefix: shell.path("global"),
      DBDEPOT_CLIENT_URL: shell.customer.apiUrl,
      DBDEPOT_CLIENT_KEY: shell.customer.key,
      DBDEPOT_CLIENT_DIRECTORY: "databases",
    };
    for (const step of steps) await sh(step, more);
    await expectFetched("databases", "vpn_ip_v1.mmdb");
  });

  it("nginx: reloads after a change", needs("nginx"), async () => {
    const [port, folder] = [await freePort(), shell.path("var", "nginx")];
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "vpn_ip_v1.geo"), "");
    const http = (await example("nginx", "nginx.conf")).replace("127.0.0.1:8080", `127.0.0.1:${port}`);
    const conf = `pid ${shell.path("nginx.pid")};\nerror_log ${shell.path("nginx.log")} notice;\nevents {}\nhttp {\naccess_log off;\n${http}}\n`;
    await writeFile(shell.path("nginx.conf"), conf);
    // The hook reloads the system's nginx; here that is our own.
    const nginx = (await run("sh", ["-c", "command -v nginx"], { env: environment })).stdout.trim();
    await writeFile(
      shell.path("bin", "nginx"),
      `#!/bin/sh\nexec ${nginx} -p ${shell.folder} -c ${shell.path("nginx.conf")} "$@"\n`,
    );
    await chmod(shell.path("bin", "nginx"), 0o755);
    await writeFile(shell.path("etc", "reload-nginx"), await example("nginx", "reload-nginx"), { mode: 0o755 });
    await writeFile(shell.path("etc", "nginx.toml"), await example("nginx", "dbdepot.toml"));
    const server: ChildProcessWithoutNullStreams = spawn(shell.path("bin", "nginx"), ["-g", "daemon off;"], {
      env: environment,
    });
    const closed = once(server, "close");
    try {
      await answering(port);
      await sh(`dbdepot sync --config ${shell.path("etc", "nginx.toml")}`);
      expect(await readFile(join(folder, "vpn_ip_v1.geo"), "utf8")).toMatch(
        /^192\.0\.2\.0\/32 1;\n192\.0\.2\.1\/32 1;\n/,
      );
      await expect.poll(() => readFile(shell.path("nginx.log"), "utf8")).toContain("reconfiguring");
      await answering(port);
    } finally {
      server.kill("SIGTERM");
      await closed;
    }
  });

  it.each(["nginx/reload-nginx"])("%s is a valid script", async (name) => {
    expect(await run("sh", ["-n", join(EXAMPLES, name)])).toEqual({ stdout: "", stderr: "" });
  });
});

async function answering(port: number): Promise<void> {
  const ask = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      (response) => response.text(),
      () => "",
    );
  await expect.poll(ask).toBe("welcome\n");
}
