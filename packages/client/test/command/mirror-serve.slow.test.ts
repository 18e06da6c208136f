import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { build as bundle } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCertificate } from "../../../../rigs/harness/certificate.ts";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { geoipupdatePath, Updater } from "../../../../rigs/harness/service/geoipupdate.ts";
import { createSigningKey } from "../../../server/src/domain/manifests/signing-keys.ts";
import { DbdepotClient } from "../../src/client.ts";
import { MirrorProcess } from "./mirror-process.ts";
import { Shell } from "./shell.ts";

const run = promisify(execFile);
const ID = "vpn_ip_v1";
const FILE = `${ID}.mmdb`;
const NO_SERVICE = { DBDEPOT_CLIENT_URL: "", DBDEPOT_CLIENT_KEY: "" };
const WAIT = { timeout: 120_000 };
const CLIENTS = 50;
const KILLS = 10;
const KILL_MAX_MS = 1500;
const sha256Of = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

describe("dbdepot mirror --serve for a company", () => {
  let shell: Shell;
  let publicKey: string;
  let current: Awaited<ReturnType<Shell["publish"]>>;
  let mirror: MirrorProcess;
  beforeAll(async () => {
    shell = await Shell.open();
    await bundle({
      input: join(import.meta.dirname, "../../src/command/main.ts"),
      platform: "node",
      output: { dir: shell.path("program"), entryFileNames: "main.js" },
      logLevel: "silent",
    });
    shell.program = shell.path("program", "main.js");
    ({ publicKey } = (await createSigningKey(shell.test.operator.operation())).key);
    current = await shell.publish(ID, { mark: "one", rows: 5000, sampleRows: 2 });
    mirror = await MirrorProcess.start(shell, publicKey);
    await mirror.serves(ID, current.buildId);
  });
  afterAll(async () => {
    await mirror.stop();
    await shell.dispose();
  });

  const sync = (...options: string[]) =>
    shell.runWith(NO_SERVICE, "sync", ID, "--from", mirror.url, "--trust", publicKey, ...options);

  /** Downloads everything that the newest manifest names, and returns its build. */
  async function crawl({ url }: MirrorProcess): Promise<string> {
    const get = async (path: string) => {
      const response = await fetch(`${url}/${ID}/${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      return Buffer.from(await response.arrayBuffer());
    };
    const { build_id: build, files, metadata } = JSON.parse(String(await get("manifest.json")));
    expect(sha256Of(await get(`${build}/metadata.json`))).toBe(metadata.sha256);
    expect(sha256Of(await get(`${build}/${FILE}`))).toBe(files.mmdb.checksums.sha256);
    expect(sha256Of(await get(`${build}/${ID}.csv.gz`))).toBe(files.csvgz.checksums.sha256);
    return build;
  }

  it("lets sync --watch follow a new build within seconds", async () => {
    const watcher = shell.spawn(
      ["sync", ID, "--from", mirror.url, "--trust", publicKey, "--watch", "--verbose"],
      NO_SERVICE,
    );
    const ended = shell.ended(watcher);
    let err = "";
    watcher.stderr.on("data", (text) => {
      err += text;
    });
    await expect.poll(() => err, WAIT).toContain("following events");
    await expect.poll(() => readFile(shell.database(FILE)).catch(() => undefined), WAIT).toEqual(current.files.mmdb);
    const before = current;
    current = await shell.publish(ID, { mark: "two", rows: 5000, sampleRows: 2 });
    await expect.poll(() => readFile(shell.database(FILE)), WAIT).toEqual(current.files.mmdb);
    expect(err).toContain("event: build.published");
    // Clients may still be downloading the build before.
    const earlier = await fetch(`${mirror.url}/${ID}/${before.buildId}/${FILE}`);
    expect(Buffer.from(await earlier.arrayBuffer())).toEqual(before.files.mmdb);
    watcher.kill("SIGTERM");
    expect((await ended).exitCode).toBe(0);
  });

  it(`needs one download of each file for ${CLIENTS} clients, which follow it`, async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const directories = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, index) => {
        const directory = shell.path(`client-${index}`);
        await mkdir(directory);
        return directory;
      }),
    );
    let following = 0;
    const clients = directories.map(async (directory) => {
      const client = new DbdepotClient({ from: mirror.url, trust: publicKey, env: {} });
      for await (const { type } of client.events({ signal })) {
        if (type === "reset") following += 1;
        for (const format of ["mmdb", "csvgz"] as const) {
          await client.download(ID, format, { to: `${directory}/file.${format}`, signal });
        }
      }
    });
    await expect.poll(() => following, WAIT).toBe(CLIENTS);
    const downloaded = async () => (await shell.customer.history("?limit=100")).filter(({ sample }) => !sample);
    const before = (await downloaded()).length;
    current = await shell.publish(ID, { mark: "three", rows: 5000 });
    const states = async () => {
      const files = directories.flatMap((directory) =>
        (["mmdb", "csvgz"] as const).map(async (format) => {
          const bytes = await readFile(`${directory}/file.${format}`).catch(() => Buffer.of());
          return current.files[format]?.equals(bytes);
        }),
      );
      return (await Promise.all(files)).filter(Boolean).length;
    };
    await expect.poll(states, WAIT).toBe(2 * CLIENTS);
    stop.abort();
    await Promise.allSettled(clients);
    const upstream = (await downloaded()).slice(0, -before);
    expect(upstream.map(({ format, outcome }) => `${format} ${outcome}`).sort()).toEqual(["csvgz ok", "mmdb ok"]);
    expect(await (await fetch(`${mirror.url}/metrics`)).text()).toMatch(/^dbdepot_mirror_vendor_up 1$/m);
  });

  const required = needs("geoipupdate 7", "openssl", "curl");
  it("updates geoipupdate 7 over HTTPS, which has a token", required, async () => {
    const { cert, key } = await createCertificate(shell.folder, ["localhost"]);
    const tokens = shell.path("tokens");
    const token = randomBytes(32).toString("hex");
    await writeFile(tokens, `# machines\nweb-1 ${sha256Of(token)}\n`);
    const options = ["--tokens", tokens, "--tls-cert", cert, "--tls-key", key];
    await using secured = await MirrorProcess.start(shell, publicKey, options);
    await expect.poll(() => secured.log, WAIT).toContain("following events");
    const updater = new Updater(geoipupdatePath(7) ?? "", shell.path("geoip"), { SSL_CERT_FILE: cert });
    const configuration = {
      AccountID: 1,
      LicenseKey: token,
      EditionIDs: ID,
      Host: `https://localhost:${new URL(secured.url).port}`,
    };
    const refused = await updater.run({ ...configuration, LicenseKey: "wrong" });
    expect(refused.exitCode).not.toBe(0);
    expect(refused.output).toContain("asks for a token");
    expect(await updater.run(configuration)).toMatchObject({ exitCode: 0 });
    expect(await updater.file(ID)).toEqual(current.files.mmdb);
    expect((await updater.run(configuration)).output).toMatch(/up to date|No new updates/i);
    current = await shell.publish(ID, { mark: "four", rows: 5000, updated: "2026-11-02" });
    await expect.poll(() => secured.log, WAIT).toContain(current.buildId);
    expect(await updater.run(configuration)).toMatchObject({ exitCode: 0 });
    expect(await updater.file(ID)).toEqual(current.files.mmdb);

    // The client sends its token, and says what is wrong without one.
    const from = ["sync", ID, "--from", secured.url, "--trust", publicKey, "--directory", shell.path("tls")];
    const trusting = { ...NO_SERVICE, NODE_EXTRA_CA_CERTS: cert };
    const without = await shell.ended(shell.spawn(from, trusting));
    expect(without).toMatchObject({ exitCode: 3, out: expect.stringContaining("DBDEPOT_CLIENT_FROM_TOKEN") });
    const synced = await shell.ended(shell.spawn(from, { ...trusting, DBDEPOT_CLIENT_FROM_TOKEN: token }));
    expect(synced).toMatchObject({ exitCode: 0 });
    expect(await readFile(shell.path("tls", FILE))).toEqual(current.files.mmdb);
    // SIGHUP reads the tokens again.
    const get = () =>
      run("curl", [
        "-sS",
        "--cacert",
        cert,
        "-o",
        "/dev/null",
        "-w",
        "%{http_code}",
        "-H",
        `Authorization: Bearer ${added}`,
        `${secured.url}/dbdepot-mirror.json`,
      ]);
    const added = randomBytes(32).toString("hex");
    expect((await get()).stdout).toBe("401");
    await appendFile(tokens, `web-2 ${sha256Of(added)}\n`);
    secured.signal("SIGHUP");
    await expect.poll(async () => (await get()).stdout, WAIT).toBe("200");
    expect(secured.log).toContain(" web-1 ");
    expect(secured.log).not.toContain(token);
    await secured.stop();
  });

  it("continues after the service was away, and says how old it is meanwhile", async () => {
    await mirror.stop();
    const { hostname, port } = new URL(shell.customer.apiUrl);
    const sockets = new Set<Socket>();
    const front = createServer((socket) => {
      const upstream = connect(Number(port), hostname);
      for (const [from, to] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        sockets.add(from);
        from.on("error", () => {}).on("close", () => to.destroy());
        from.pipe(to);
      }
    });
    const frontPort = await freePort();
    const environment = { DBDEPOT_CLIENT_URL: `http://127.0.0.1:${frontPort}` };
    // It starts while the service is away.
    mirror = await MirrorProcess.start(shell, publicKey, [], environment);
    expect(await crawl(mirror)).toBe(current.buildId);
    await expect.poll(() => mirror.log, WAIT).toMatch(/could not be asked: .*; 1 database, compared with the service/);
    expect(await (await fetch(`${mirror.url}/healthz`)).json()).toMatchObject({ status: "ok", vendor: "unreachable" });
    expect((await sync("--directory", shell.path("away"))).exitCode).toBe(0);
    current = await shell.publish(ID, { mark: "plugged in", rows: 5000 });
    await once(front.listen(frontPort, "127.0.0.1"), "listening");
    mirror.signal("SIGHUP");
    await mirror.serves(ID, current.buildId);
    // And again, while it follows the events.
    await expect.poll(() => mirror.log, WAIT).toContain("following events");
    front.close();
    for (const socket of sockets) socket.destroy();
    current = await shell.publish(ID, { mark: "again", rows: 5000 });
    expect((await sync("--directory", shell.path("away"))).exitCode).toBe(0);
    await once(front.listen(frontPort, "127.0.0.1"), "listening");
    await mirror.serves(ID, current.buildId);
    expect((await sync("--directory", shell.path("away"))).exitCode).toBe(0);
    expect(await readFile(shell.path("away", FILE))).toEqual(current.files.mmdb);
    await mirror.stop();
    front.close();
    for (const socket of sockets) socket.destroy();
  });

  it(`serves complete builds only, although it is killed ${KILLS} times`, async () => {
    const known = [current.buildId];
    for (let i = 0; i < KILLS; i += 1) {
      current = await shell.publish(ID, { mark: `killed ${i}`, rows: 100_000 });
      known.push(current.buildId);
      await using victim = await MirrorProcess.start(shell, publicKey);
      const end = Date.now() + Math.random() * KILL_MAX_MS;
      do expect(known).toContain(await crawl(victim));
      while (Date.now() < end);
      await victim.kill();
    }
    mirror = await MirrorProcess.start(shell, publicKey);
    await mirror.serves(ID, current.buildId);
    expect(await crawl(mirror)).toBe(current.buildId);
  });

  it("serves nothing that no trusted key has signed", async () => {
    await mirror.stop();
    await rm(shell.path("mirror", ".dbdepot-trust.json"));
    const other = "RWT+gSwS86tM5upKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs";
    mirror = await MirrorProcess.start(shell, other, [], { DBDEPOT_CLIENT_URL: "http://127.0.0.1:9" });
    expect((await fetch(`${mirror.url}/healthz`)).status).toBe(503);
    expect((await fetch(`${mirror.url}/${ID}/signed.json`)).status).toBe(404);
  });
});
