import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { Signals } from "../../src/command/signals.ts";
import type { RoundResult } from "../../src/command/sync/round.ts";
import { pauseMs, watch } from "../../src/command/sync/watch.ts";
import { Shell } from "./shell.ts";

const FILE = "vpn_ip_v1.mmdb";
const NOBODY = 65534;

describe("the dbdepot process", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await Shell.open();
    await shell.publish("vpn_ip_v1", { mark: "one" });
  });
  afterAll(() => shell.dispose());

  it("prints one JSON document with --json", async () => {
    const { exitCode, out, err } = await shell.ended(shell.spawn(["list", "--json"]));
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject([{ base: "vpn_ip" }]);
  });

  it("keeps running with --watch: SIGHUP syncs immediately, SIGTERM stops", async () => {
    const child = shell.spawn(["sync", "vpn_ip_v1", "--watch"]);
    const ended = shell.ended(child);
    const round = async () => String(await once(child.stdout, "data"));
    expect(await round()).toMatch(/1 changed, 0 unchanged/);
    const { files } = await shell.publish("vpn_ip_v1", { mark: "two" });
    child.kill("SIGHUP");
    expect(await round()).toMatch(/1 changed, 0 unchanged/);
    expect(await readFile(shell.database(FILE))).toEqual(files.mmdb);
    child.kill("SIGHUP");
    expect(await round()).toMatch(/0 changed, 1 unchanged/);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ exitCode: 0, err: "" });
  });

  it("downloads a new build at once with --watch, but not one of another database", async () => {
    const child = shell.spawn(["sync", "vpn_ip_v1", "--watch", "--verbose"]);
    const ended = shell.ended(child);
    const output = { out: "", err: "" };
    child.stdout.on("data", (text) => {
      output.out += text;
    });
    child.stderr.on("data", (text) => {
      output.err += text;
    });
    await expect.poll(() => output.out).toMatch(/unchanged/);
    await expect.poll(() => output.err).toContain("following events");
    const rounds = output.out.match(/unchanged/g)?.length ?? 0;
    await shell.publish("bogon_ip_v1", { mark: "other" });
    const { files } = await shell.publish("vpn_ip_v1", { mark: "pushed" });
    await expect.poll(() => output.out).toMatch(/1 changed, 0 unchanged/);
    expect(output.out.match(/unchanged/g)).toHaveLength(rounds + 1);
    expect(await readFile(shell.database(FILE))).toEqual(files.mmdb);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ exitCode: 0 });
  });

  it("polls with --watch if the service has no event stream", async () => {
    const front = await shell.inFront();
    front.hidden = "/api/v2/events";
    const child = shell.spawn(["sync", "vpn_ip_v1", "--watch", "--every", "1s", "--verbose"], {
      DBDEPOT_CLIENT_URL: front.url,
    });
    const ended = shell.ended(child);
    for (let round = 0; round < 3; round += 1) await once(child.stdout, "data");
    child.kill("SIGTERM");
    const { exitCode, err } = await ended;
    expect(exitCode).toBe(0);
    expect(err).toContain("no events, so new builds are found in the next round");
    expect(front.seen.filter((seen) => seen.startsWith("events"))).toEqual(["events 404"]);
  });

  describe("with a rotated key in the key file", () => {
    const rotate = async (id: string) => (await shell.json(0, "keys", "rotate", id)).key as string;
    const watching = async (environment: Record<string, string> = {}) => {
      const path = shell.path("watched.key");
      const { id, key } = await shell.json(0, "keys", "create", "--name", "watcher");
      await writeFile(path, key, { mode: 0o600 });
      const keyFile = { DBDEPOT_CLIENT_KEY: "", DBDEPOT_CLIENT_KEY_FILE: path };
      const child = shell.spawn(["sync", "vpn_ip_v1", "--watch"], { ...keyFile, ...environment });
      const round = async () => String(await once(child.stdout, "data"));
      return { id, path, child, round, ended: shell.ended(child) };
    };

    it("uses the new key after SIGHUP", async () => {
      const { id, path, child, round, ended } = await watching();
      expect(await round()).toMatch(/0 failed/);
      await writeFile(path, await rotate(id));
      child.kill("SIGHUP");
      expect(await round()).toMatch(/0 failed/);
      child.kill("SIGTERM");
      expect(await ended).toMatchObject({
        exitCode: 0,
        err: expect.stringMatching(/^using the new key dbd_\w{8}_…\n$/),
      });
    });

    it("uses the new key immediately if the old one is refused, even in the middle of a round", async () => {
      let newKey: string | undefined;
      const front = await shell.inFront((headers) => {
        if (newKey && headers["www-authenticate"]) writeFileSync(shell.path("watched.key"), newKey);
      });
      const { id, child, round, ended } = await watching({ DBDEPOT_CLIENT_URL: front.url });
      expect(await round()).toMatch(/0 failed/);
      newKey = await rotate(id);
      child.kill("SIGHUP");
      expect(await round()).toMatch(/0 failed/);
      expect(front.seen).toContain("metadata 401");
      child.kill("SIGTERM");
      expect(await ended).toMatchObject({ exitCode: 0 });
    });

    it("keeps the old key if the key file cannot be read", async () => {
      const { path, child, round, ended } = await watching();
      expect(await round()).toMatch(/0 failed/);
      await rm(path);
      child.kill("SIGHUP");
      expect(await round()).toMatch(/0 failed/);
      child.kill("SIGTERM");
      expect(await ended).toMatchObject({ exitCode: 0, err: expect.stringContaining("cannot be read (ENOENT)") });
    });
  });

  it("syncs again after the interval", async () => {
    const child = shell.spawn(["sync", "vpn_ip_v1", "--watch", "--every", "1s"]);
    const ended = shell.ended(child);
    for (let round = 0; round < 3; round += 1) await once(child.stdout, "data");
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ exitCode: 0 });
  });

  it("keeps waiting after 429, and stops on SIGTERM", async () => {
    const busy = createServer((_, response) => {
      response
        .writeHead(429, { "retry-after": "3600", "content-type": "application/json" })
        .end('{"rc":"RATE_LIMITED"}');
    });
    await once(busy.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
    const child = shell.spawn(["sync", "vpn_ip_v1", "--watch", "--every", "1s"], { DBDEPOT_CLIENT_URL: url });
    const ended = shell.ended(child);
    expect(String(await once(child.stdout, "data"))).toMatch(/FAILED +vpn_ip_v1: .*429 RATE_LIMITED/);
    // It would exit with 1 if the failure had ended it.
    child.kill("SIGTERM");
    expect((await ended).exitCode).toBe(0);
    busy.close();
  });

  it("says once when it starts to retry", async () => {
    let requests = 0;
    const down = createServer((_, response) => {
      requests += 1;
      response.writeHead(503, { "retry-after": "0" }).end('{"rc":"NOT_AVAILABLE"}');
    });
    await once(down.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(down.address() as AddressInfo).port}`;
    const { exitCode, err } = await shell.runWith({ DBDEPOT_CLIENT_URL: url }, "list");
    down.close();
    expect({ exitCode, requests }).toEqual({ exitCode: 1, requests: 6 });
    expect(err.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^no build is published yet, .* \(503 NOT_AVAILABLE\); retrying in 0 s$/),
      expect.stringMatching(/^dbdepot list: no build is published yet/),
    ]);
  });

  // Shorter than the time limit for connections, after which the process would end anyway.
  it("exits immediately if it is interrupted while it is connecting", { timeout: 20_000 }, async () => {
    const silent = createTcpServer((socket) => socket.on("error", () => {}));
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const child = shell.spawn(["list"], { DBDEPOT_CLIENT_URL: url });
    const ended = shell.ended(child);
    await once(silent, "connection");
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ exitCode: 1, out: "" });
    silent.close();
  });

  it("delays the first request without a terminal, and can be stopped meanwhile", async () => {
    const child = shell.spawn(["sync", "vpn_ip_v1"], { DBDEPOT_CLIENT_JITTER: "24h" });
    const ended = shell.ended(child);
    expect(String(await once(child.stderr, "data"))).toMatch(/^waiting \d+ .*, so that not all clients connect/);
    child.kill("SIGTERM");
    expect((await ended).exitCode).toBe(1);
  });

  it("by default delays only runs that have worked before, and not in CI; silently with --quiet", async () => {
    expect((await shell.run("sync", "vpn_ip_v1")).exitCode).toBe(0);
    // The shortest delay that is announced.
    vi.spyOn(Math, "random").mockReturnValue(1001 / (5 * 60_000));
    onTestFinished(() => void vi.restoreAllMocks());
    const sync = (more: Record<string, string>, ...argv: string[]) =>
      shell.runWith({ DBDEPOT_CLIENT_JITTER: "", ...more }, "sync", "vpn_ip_v1", ...argv);
    const [announced, quiet] = await Promise.all([sync({}), sync({}, "--quiet")]);
    expect(announced).toMatchObject({ exitCode: 0, err: expect.stringMatching(/^waiting 1 s, .*--no-jitter/) });
    expect(quiet).toEqual({ exitCode: 0, out: "", err: "" });
    expect(await sync({ CI: "true" })).toMatchObject({ exitCode: 0, err: "" });
    const wrong = { DBDEPOT_CLIENT_KEY: "dbd_wrong", DBDEPOT_CLIENT_DIRECTORY: shell.path("new") };
    expect(await sync(wrong)).toMatchObject({ exitCode: 3, err: "" });
    expect((await sync({}, "--watch", "--every", "soon")).err).toMatch(/--every: /);
  });

  it("can run several times concurrently", async () => {
    const { files } = await shell.publish("vpn_ip_v1", { mark: "several", rows: 5000 });
    const argv = ["sync", "vpn_ip_v1", "--formats", "mmdb,csvgz", "--keep", "1"];
    const results = await Promise.all([1, 2, 3, 4].map(() => shell.ended(shell.spawn(argv))));
    expect(results.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
    expect(await readFile(shell.database(FILE))).toEqual(files.mmdb);
    expect((await shell.names()).filter((name) => name.startsWith("."))).toEqual([]);
    expect(await shell.json(0, "sync", "vpn_ip_v1", "--formats", "mmdb,csvgz")).toMatchObject({ unchanged: 2 });
  });

  it("works for any user who can write to the directory", async () => {
    await mkdir(shell.path("volume"));
    await chmod(shell.path("volume"), 0o777);
    await chmod(shell.folder, 0o755);
    const environment = { DBDEPOT_CLIENT_DIRECTORY: shell.path("volume"), HOME: "/nonexistent" };
    const user = process.getuid?.() === 0 && (await canOthersRead(import.meta.dirname)) ? NOBODY : process.getuid?.();
    const { exitCode, err } = await shell.ended(shell.spawn(["sync", "vpn_ip_v1"], environment, user));
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect((await stat(shell.path("volume", FILE))).uid).toBe(user);
  });
});

/** Only root can start a process as another user, who must be able to read the program. */
async function canOthersRead(path: string): Promise<boolean> {
  for (let directory = path; directory !== dirname(directory); directory = dirname(directory)) {
    if (((await stat(directory)).mode & 0o005) !== 0o005) return false;
  }
  return true;
}

describe("watch", () => {
  it("handles signals that arrive during a round", async () => {
    const signals = new Signals();
    let rounds = 0;
    const round = async () => {
      rounds += 1;
      process.emit(rounds < 3 ? "SIGHUP" : "SIGTERM");
      return { retryAfterMs: undefined } as RoundResult;
    };
    await watch(round, { intervalMs: 3_600_000, jitterMs: 0, signals, follow: async () => {} });
    signals.close();
    expect(rounds).toBe(3);
  });
});

describe("the pause between two rounds", () => {
  const hourMs = 3_600_000;

  it("is the interval plus jitter", () => {
    const pauses = Array.from({ length: 100 }, () =>
      pauseMs({ intervalMs: hourMs, jitterMs: 300_000, retryAfterMs: undefined, failures: 0 }),
    );
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(hourMs);
    expect(Math.max(...pauses)).toBeLessThan(hourMs + 300_000);
    expect(new Set(pauses).size).toBeGreaterThan(50);
  });

  it("starts short after a temporary failure and doubles up to the interval", () => {
    const after = (failures: number) => pauseMs({ intervalMs: hourMs, jitterMs: 0, retryAfterMs: 60_000, failures });
    expect([1, 2, 3, 20].map(after)).toEqual([60_000, 120_000, 240_000, hourMs]);
  });

  it("is never shorter than Retry-After", () => {
    expect(pauseMs({ intervalMs: 1000, jitterMs: 0, retryAfterMs: hourMs, failures: 1 })).toBe(hourMs);
  });
});
