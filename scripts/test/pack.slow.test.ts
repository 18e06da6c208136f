import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { signaturePublicKey } from "@dbdepot/formats/minisign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGES, type Page } from "../../packages/server/test/docs/pages.ts";
import { PASSWORD, Person } from "../../packages/server/test/routes/console/person.ts";
import { freePort } from "../../rigs/harness/free-port.ts";
import { stop } from "../../rigs/harness/processes.ts";
import { type PackOptions, pack } from "../release/pack.ts";
import { type Architecture, nodeBinary, PRODUCTS } from "../release/trees.ts";
import { BareDebian } from "./bare-debian.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
/** For programs that start, sign in and work in the background. */
const PATIENT = { timeout: 180_000, interval: 200 };
/** The commands that publish a first database. */
const README_COMMANDS =
  PAGES.find(({ path }) => path === "README.md")?.blocks.find(({ code }) => code.includes("builds publish"))?.code ??
  "";

interface Sbom {
  bomFormat: string;
  metadata: { component: { name: string } };
  components: { name: string; version: string; purl: string; licenses: { expression: string }[] }[];
}

describe("a release", () => {
  let directory: string;
  let files: string[];
  let version: string;
  let publicKey: string;
  let options: PackOptions;
  const architecture = process.arch as Architecture;
  /** The packages that npm knows. */
  let known: Set<string>;
  beforeAll(async () => {
    ({ version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
    directory = await mkdtemp(join(tmpdir(), "dbdepot-release-"));
    const { privateKey } = generateKeyPairSync("ed25519");
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    publicKey = signaturePublicKey(createPublicKey(privateKey)).text;
    options = { notes: "- Faster.", key, architectures: [architecture], compression: 0 };
    files = await pack(directory, options);
    const { stdout } = await run("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], {
      cwd: ROOT,
      maxBuffer: 100_000_000,
    });
    known = new Set((JSON.parse(stdout) as Sbom).components.map(({ purl }) => purl));
  }, 900_000);
  afterAll(() => rm(directory, { recursive: true }));

  const sbomOf = async (name: string): Promise<Sbom> =>
    JSON.parse(await readFile(join(directory, `dbdepot-${name}-${version}.cdx.json`), "utf8"));

  it("has tarballs, packages and SBOMs of the server and the client, and their signed sums", async () => {
    const [deb, rpm] = architecture === "x64" ? ["amd64", "x86_64"] : ["arm64", "aarch64"];
    const names = [
      ["client", "dbdepot"],
      ["server", "dbdepot-server"],
    ].flatMap(([npm, name]) => [
      `dbdepot-${npm}-${version}.tgz`,
      `dbdepot-${npm}-${version}.cdx.json`,
      `${name}-packages-${version}.cdx.json`,
      `${name}-${version}-linux-${architecture}.tar.xz`,
      `${name}_${version}_${deb}.deb`,
      `${name}-${version}-${rpm}.rpm`,
    ]);
    names.push(`dbdepot-clients-${version}.tar`, "RELEASE.md");
    expect(files).toEqual([...names, "SHA256SUMS", "SHA256SUMS.minisig"]);
    expect((await readdir(directory)).sort()).toEqual(files.toSorted());
    const { stdout } = await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: directory });
    expect(stdout).toBe(
      names
        .toSorted()
        .map((name) => `${name}: OK\n`)
        .join(""),
    );
    await run("minisign", ["-Vq", "-P", publicKey, "-m", "SHA256SUMS"], { cwd: directory });
    expect(await readFile(join(directory, "RELEASE.md"), "utf8")).toBe(`# dbdepot ${version}\n\n- Faster.\n`);
  });

  it("has the same bytes when the same commit is packed again, with another umask", async () => {
    const again = await mkdtemp(join(tmpdir(), "dbdepot-release-"));
    const umask = process.umask(0o077);
    try {
      await pack(again, options);
      const [first, second] = await Promise.all(
        [directory, again].map((each) => readFile(join(each, "SHA256SUMS"), "utf8")),
      );
      expect(second).toBe(first);
    } finally {
      process.umask(umask);
      await rm(again, { recursive: true });
    }
  });

  it("gets Node.js for the other architecture from npm, as the lockfile describes it", async () => {
    const other = architecture === "x64" ? "arm64" : "x64";
    const work = await mkdtemp(join(tmpdir(), "dbdepot-node-"));
    try {
      const binary = await readFile(await nodeBinary(other, work));
      expect(binary.toString("latin1", 1, 4)).toBe("ELF");
      // The field e_machine of the header.
      expect(binary.readUInt16LE(18)).toBe({ x64: 62, arm64: 183 }[other]);
    } finally {
      await rm(work, { recursive: true });
    }
  });

  it("contains the same client in the server, which hands it out", async () => {
    const options = { encoding: "buffer", maxBuffer: 100_000_000 } as const;
    const server = join(directory, `dbdepot-server-${version}.tgz`);
    const { stdout } = await run("tar", ["-xzOf", server, "package/dist/dbdepot-client.tgz"], options);
    expect(stdout.equals(await readFile(join(directory, `dbdepot-client-${version}.tgz`)))).toBe(true);
  });

  it.each([
    [
      "server",
      ["fastify", "kysely", "pg", "pino", "@aws-sdk/client-s3", "react", "@mantine/core", "@fontsource-variable/inter"],
    ],
    ["client", ["commander", "undici", "smol-toml"]],
  ])("lists every package bundled into the %s, as npm knows it", async (name, expected) => {
    const { bomFormat, metadata, components } = await sbomOf(name);
    expect([bomFormat, metadata.component.name]).toEqual(["CycloneDX", `@dbdepot/${name}`]);
    expect(components.map((each) => each.name)).toEqual(expect.arrayContaining(expected));
    expect(components.filter(({ purl }) => !known.has(purl))).toEqual([]);
    const { stdout: listing } = await run(
      "tar",
      ["-xzOf", `dbdepot-${name}-${version}.tgz`, "package/dist/THIRD_PARTY_LICENSES.txt"],
      {
        cwd: directory,
        maxBuffer: 100_000_000,
      },
    );
    for (const each of components) expect(listing).toContain(`${each.name} ${each.version}\n`);
  });

  it("contains no path of the machine it was built on", async () => {
    for (const name of ["server", "client"]) {
      const { stdout } = await run("tar", ["-xzOf", `dbdepot-${name}-${version}.tgz`], {
        cwd: directory,
        maxBuffer: 1_000_000_000,
      });
      expect(stdout.includes(ROOT)).toBe(false);
    }
  });

  describe("on a bare Debian without Node.js, by the commands of the pages", () => {
    let debian: BareDebian;
    let url: string;
    let server: ChildProcess | undefined;
    let key: string;
    let ada: Person;
    /** The commands of a page that install or use the packages, with the addresses and the processor of this test. */
    let commandsOf: (page: string) => string[];
    const pathOf = (pattern: RegExp) => join(directory, files.find((file) => pattern.test(file)) ?? "");
    const asService = (command: string) => debian.run(`cd /var/lib/dbdepot && ${command}`, "dbdepot");
    const asAda = (command: string) => debian.run(`cd && ${command}`, "ada");

    beforeAll(async () => {
      const root = join(tmpdir(), `dbdepot-debian-${process.pid}`);
      debian = await BareDebian.create(root, ["libstdc++6", "passwd", "systemd", "xz-utils", "curl", "sudo"]);
      for (const file of files) await copyFile(join(directory, file), debian.path("tmp", file));
      await debian.run("useradd --create-home ada");
      const [port, gatewayPort] = [await freePort(), await freePort()];
      url = `http://127.0.0.1:${port}`;
      const adapt = (code: string) =>
        code
          .replaceAll(
            "<<EOF\n",
            `<<EOF\nDBDEPOT_PORT=${port}\nDBDEPOT_OBJECTS_PORT=${gatewayPort}\nDBDEPOT_METRICS_PORT=off\n`,
          )
          .replaceAll(/https:\/\/(api|depot)\.example(\.com)?|http:\/\/127\.0\.0\.1:8080/g, url)
          // systemd does not run here. Units can be enabled, which only writes files.
          .replaceAll("systemctl enable --now", "systemctl enable")
          .replaceAll(/^systemctl restart .*$/gm, "")
          .replaceAll("https://downloads.example.com", `http://127.0.0.1:${gatewayPort}`)
          .replaceAll("_amd64.deb", architecture === "x64" ? "_amd64.deb" : "_arm64.deb");
      commandsOf = (page) => {
        const { blocks } = PAGES.find(({ path }) => path === page) as Page;
        return blocks.filter(({ info }) => info === "sh packages").map(({ code }) => adapt(code));
      };
    }, 600_000);
    afterAll(async () => {
      if (server) await stop(server);
      await debian.remove();
    });

    /** Publishes a build with rows that differ from the last one's in `changed` places. */
    async function publish(changed: number): Promise<void> {
      const rows = Array.from({ length: 20_000 }, (_, n) => {
        const network = `10.${n >> 8}.${n & 255}.0/24`;
        return `${network},relay${n < changed ? "new" : ""}${(n * 7919) % 20_000},2026-03-02\n`;
      });
      await writeFile(debian.path("var/lib/dbdepot-server/rows.csv"), `network,nickname,first_seen\n${rows.join("")}`);
      const built = ["csvgz csv.gz", "mmdb mmdb", "metadata metadata.json"].map((each) =>
        each.replace(/^(\w+) (.+)$/, "--$1 out/tor_exit_ip_v1.$2"),
      );
      await debian.run(`
        cd /var/lib/dbdepot-server
        dbdepot-server export rows.csv --id tor_exit_ip_v1 --out out
        dbdepot-server builds publish tor_exit_ip_v1 ${built.join(" ")} --force`);
    }

    it("runs every command that a page marks for packages", () => {
      const pages = PAGES.filter(({ blocks }) => blocks.some(({ info }) => info === "sh packages"));
      expect(pages.map(({ path }) => path)).toEqual([
        "docs/customers/cli.md",
        "docs/customers/quick-start.md",
        "docs/operate/install.md",
      ]);
    });

    it("sets up the server, which runs as its own user and knows its commit", async () => {
      await expect(debian.run("command -v node npm dbdepot")).rejects.toThrow();
      const [install = "", settings = "", start = "", clients = ""] = commandsOf("docs/operate/install.md");
      await debian.run(`cd /tmp; ${install}`);
      await debian.run(settings);
      await debian.run(`cd /tmp; ${clients}`);
      expect(await debian.run("stat -c '%U %a' /var/lib/dbdepot-server /etc/dbdepot/server.env")).toBe(
        "dbdepot-server 700\nroot 640\n",
      );
      // systemd does not run here, so the test starts what the unit would.
      const { ExecStart = "", User } = debian.unit("dbdepot-server.service");
      const started = debian.start(ExecStart, User);
      server = started.child;
      const status = () =>
        fetch(`${url}/readyz`).then(
          (reply) => reply.status,
          () => 0,
        );
      await expect.poll(status, PATIENT).toBe(200);
      expect(await debian.run(start)).toContain('"status":"ready"');
      expect(await debian.run("ls /etc/systemd/system/multi-user.target.wants")).toContain("dbdepot-server.service");
      const { commit } = JSON.parse(started.firstLine());
      expect(JSON.parse(started.firstLine())).toMatchObject({
        version,
        commit: expect.stringMatching(/^[0-9a-f]{12}/),
      });
      expect(await debian.run("dbdepot-server --version")).toBe(`dbdepot-server ${version} (${commit})\n`);
      const operator = JSON.parse(
        await debian.run("dbdepot-server keys create --name probe --scopes operator.read --json"),
      );
      const headers = { authorization: `Bearer ${operator.key}` };
      await expect
        .poll(async () => (await fetch(`${url}/healthz`, { headers })).json())
        .toEqual({ status: "ok", version, commit });
    });

    it("publishes the first database with the commands of the README", async () => {
      await cp(join(ROOT, "examples"), debian.path("var/lib/dbdepot-server/examples"), { recursive: true });
      const script = README_COMMANDS.replaceAll("npx ", "");
      await debian.run("cd /var/lib/dbdepot-server; dbdepot-server signing-keys create");
      key = /dbd_\w{8}_\w{20,}/.exec(await debian.run(`cd /var/lib/dbdepot-server\n${script}`))?.[0] ?? "";
      // Commands that root runs write files that the service can read.
      expect(await debian.run("find /var/lib/dbdepot-server -name '*.sqlite*' -user root")).toBe("");
      const invite = "dbdepot-server accounts invite ada@example.com --role admin --org Acme --json";
      const token = new URL(JSON.parse(await debian.run(invite)).link).hash.replace("#token=", "");
      ada = new Person(url, "ada@example.com");
      expect((await ada.post("/api/console/links/accept", { token, password: PASSWORD })).status).toBe(200);
    });

    it("installs the command from the service, in two lines", async () => {
      const [install = ""] = commandsOf("docs/customers/quick-start.md");
      expect(install.trim().split("\n")).toHaveLength(2);
      await debian.run(`mkdir /tmp/customer; cd /tmp/customer; ${install}`);
      expect(await debian.run("dbdepot --version")).toMatch(`dbdepot ${version} (`);
      const offered = debian.path("tmp/customer", (await readdir(debian.path("tmp/customer")))[0] ?? "");
      expect((await readFile(offered)).equals(await readFile(pathOf(/^dbdepot_.*\.deb$/)))).toBe(true);
      expect(await debian.run("stat -c '%U %a' /etc/dbdepot/dbdepot.toml")).toBe("dbdepot 600\n");
    });

    it("signs in and downloads as an ordinary user, who cannot read the key of the timer", async () => {
      const login = debian.start(`dbdepot login --server ${url}`, "ada");
      const exited = once(login.child, "exit");
      await expect.poll(() => login.printed(), PATIENT).toMatch(/[B-Z]{5}-[B-Z]{5}/);
      const [user_code] = /[B-Z]{5}-[B-Z]{5}/.exec(login.printed()) ?? [];
      expect((await ada.post("/api/console/sign-ins/approve", { user_code, days: 30 })).status).toBe(200);
      expect(await exited).toEqual([0, null]);
      expect(await asAda("dbdepot list")).toContain("tor_exit_ip_v1");
      await asAda("dbdepot download tor_exit_ip_v1 && dbdepot verify tor_exit_ip_v1");
      expect(await asAda(`DBDEPOT_CLIENT_URL=${url} DBDEPOT_CLIENT_KEY=${key} dbdepot list`)).toContain("licensed");
    });

    it("keeps databases up to date with the timer's service, which waits for a key and gets patches", async () => {
      const { ExecCondition = "", ExecStart = "" } = debian.unit("dbdepot.service");
      await expect(debian.run(ExecCondition)).rejects.toThrow();
      await debian.run(commandsOf("docs/customers/cli.md").join("\n"));
      expect(await debian.run("ls /etc/systemd/system/timers.target.wants")).toContain("dbdepot.timer");
      await debian.run(`
        sed -i -e 's|^# url = .*|url = "${url}"|' -e 's|^# key = "dbd_..."|key = "${key}"|' \
          -e 's|^# databases = \\["vpn_ip_v1"\\]$|databases = ["tor_exit_ip_v1"]|' /etc/dbdepot/dbdepot.toml`);
      await debian.run(ExecCondition);
      await asService("dbdepot config check");
      await publish(0);
      expect(await asService(ExecStart)).toContain("1 changed");
      await publish(10);
      await expect
        .poll(() => debian.run("dbdepot-server patches list tor_exit_ip_v1 --json"), PATIENT)
        .toContain('"format": "mmdb"');
      expect(await asService(ExecStart)).toContain("1 changed");
      const [newest] = JSON.parse(await asService("dbdepot history --json"));
      expect(newest).toMatchObject({ outcome: "ok", patch: true });
      expect(await asService("dbdepot verify")).toContain("tor_exit_ip_v1");
      expect(await asService(ExecStart)).toContain("0 changed, 1 unchanged");
    });

    it("has units that systemd accepts, and a manual page for each command", async () => {
      const units = PRODUCTS.flatMap((product) => product.units);
      const { stderr } = await run("systemd-analyze", ["verify", "--man=no", "--root", debian.root, ...units]);
      expect(stderr).toBe("");
      for (const name of ["dbdepot", "dbdepot-server"]) {
        expect(await debian.run(`zcat /usr/share/man/man1/${name}.1.gz`)).toContain(`.TH ${name.toUpperCase()} 1`);
      }
    });

    it("keeps settings and data when it is upgraded and removed, and deletes them when it is purged", async () => {
      // SQLite deletes its log when the server stops.
      const state =
        "cat /etc/dbdepot/*; ls -A /var/lib/dbdepot /var/lib/dbdepot-server | grep -v sqlite-; stat -c '%U %a' /etc/dbdepot/* /var/lib/dbdepot*";
      const before = await debian.run(state);
      await debian.run("dpkg --install /tmp/dbdepot-server_*.deb /tmp/dbdepot_*.deb");
      expect(await debian.run(state)).toBe(before);
      // The package neither stopped nor replaced the server, which still runs.
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      if (server) await stop(server);
      await debian.run("dpkg --remove dbdepot dbdepot-server");
      expect(await debian.run(state)).toBe(before);
      await debian.run("dpkg --purge dbdepot dbdepot-server");
      await expect(debian.run("ls /var/lib/dbdepot /var/lib/dbdepot-server /etc/dbdepot")).rejects.toThrow(
        "No such file",
      );
      await expect(debian.run("getent passwd dbdepot dbdepot-server")).rejects.toThrow();
    });

    it("runs from the archive", async () => {
      await debian.run(
        "cd /opt && tar -xf /tmp/dbdepot-[0-9]*.tar.xz && ln -s /opt/dbdepot-*/bin/dbdepot /usr/local/bin/",
      );
      expect(await debian.run("dbdepot --version; rm /usr/local/bin/dbdepot")).toContain(version);
    });

    it.each([
      ["dbdepot", "c /etc/dbdepot/dbdepot.toml"],
      ["dbdepot-server", "c /etc/dbdepot/server.env"],
    ])("installs, verifies and erases %s with rpm", async (name, config) => {
      const rpm = pathOf(name === "dbdepot" ? /^dbdepot-\d.*\.rpm$/ : /^dbdepot-server-.*\.rpm$/);
      const database = ["--root", debian.root];
      // Debian's libraries are not in the database of rpm.
      await run("rpm", ["--install", "--nodeps", ...database, rpm]);
      expect(await debian.run(`${name} --version; stat -c %U /var/lib/${name}; getent passwd ${name}`)).toMatch(
        `${name} ${version} `,
      );
      // The settings belong to the service, which verification reports of nothing else.
      const verified = await run("rpm", ["--verify", "--nodeps", ...database, name]).catch((error) => error);
      expect(verified.stdout).toMatch(new RegExp(`^\\S+ +${config}\n$`));
      await run("rpm", ["--erase", ...database, name]);
      await expect(debian.run(`${name} --version`)).rejects.toThrow("not found");
      expect(await debian.run(`stat -c %U /var/lib/${name}`)).toBe(`${name}\n`);
    });
  });

  describe("as an image", () => {
    let root: string;
    let config: ImageConfig;
    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), "dbdepot-image-"));
      const archive = files.find((file) => file.startsWith("dbdepot-server") && file.endsWith(".tar.xz")) ?? "";
      const image = join(root, "image.tar");
      await run(join(ROOT, "deploy/docker/build-image"), [join(directory, archive), image], {
        env: { ...process.env, STORAGE_DRIVER: "vfs" },
      });
      await run("tar", ["-xf", image, "-C", root]);
      const [manifest] = JSON.parse(await readFile(join(root, "manifest.json"), "utf8"));
      ({ config } = JSON.parse(await readFile(join(root, manifest.Config), "utf8")));
      await mkdir(join(root, "root"));
      await run("tar", ["-xf", join(root, manifest.Layers[0]), "-C", join(root, "root"), "--exclude=dev/*"]);
      await mkdir(join(root, "volume"));
    }, 600_000);
    afterAll(() => rm(root, { recursive: true, force: true }));

    /** The arguments that run a command as a container runtime would: as the image's user (root of this machine appears as 1000), with a read-only root and its volume. */
    const contained = (command: readonly string[], environment: Record<string, string> = {}) => {
      const variables = [...config.Env.map((each) => each.split(/=(.*)/s)), ...Object.entries(environment)];
      return [
        ...["--ro-bind", join(root, "root"), "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
        ...[
          "--bind",
          join(root, "volume"),
          "/data",
          "--chdir",
          config.WorkingDir,
          "--unshare-user",
          "--die-with-parent",
        ],
        ...["--uid", "1000", "--gid", "0", "--clearenv"],
        ...variables.flatMap(([name = "", value = ""]) => ["--setenv", name, value]),
        ...command,
      ];
    };

    it("has the files of the npm package, which the Dockerfile installs, besides Node.js and the health check", async () => {
      const list = async (...args: string[]) => (await run(args[0] ?? "", args.slice(1))).stdout.trim().split("\n");
      const image = await list("find", join(root, "root/opt/dbdepot"), "-type", "f", "-printf", "%P\n");
      const packed = await list("tar", "-tzf", join(directory, `dbdepot-server-${version}.tgz`));
      const library = packed.map((path) => path.replace("package/", "lib/dbdepot-server/"));
      const others = ["bin/dbdepot-server", "healthcheck.js", "lib/dbdepot-server/node"];
      expect(image.sort()).toEqual([...library, ...others].sort());
    });

    it("has the settings, user and health check of the Dockerfile", async () => {
      const dockerfile = await readFile(join(ROOT, "deploy/docker/Dockerfile"), "utf8");
      expect(config).toMatchObject({ User: "1000:0", WorkingDir: "/data", Volumes: { "/data": {} } });
      expect(dockerfile).toContain(
        `ENTRYPOINT ${JSON.stringify(config.Entrypoint)}\nCMD ${JSON.stringify(config.Cmd)}\n`,
      );
      const [, ...check] = config.Healthcheck.Test;
      expect(dockerfile).toContain(`CMD ${JSON.stringify(check).replaceAll(",", ", ")}\n`);
      for (const [setting] of dockerfile.replaceAll(/^#.*/gm, "").matchAll(/DBDEPOT_\w+=\S+/g))
        expect(config.Env).toContain(setting);
      expect(Object.keys(config.ExposedPorts)).toEqual(["8080", "8081", "9464"]);
    });

    it("passes the README's journey from a read-only root, as a user that is not root", async () => {
      const server = (...args: string[]) => run("bwrap", contained(["dbdepot-server", ...args]), { encoding: "utf8" });
      expect((await server("--version")).stdout).toContain(version);
      await expect(run("bwrap", contained(["node", "-e", "fs.writeFileSync('/opt/x', '')"]))).rejects.toThrow("EROFS");
      await cp(join(ROOT, "examples"), join(root, "volume/examples"), { recursive: true });
      // The image has no shell, so the README's commands run outside.
      const quoted = contained(["dbdepot-server"]).map((each) => `'${each}'`);
      const { stdout } = await run("bash", [
        "-euc",
        `npx() { shift; bwrap ${quoted.join(" ")} "$@"; }\n${README_COMMANDS}`,
      ]);
      const [key = ""] = /dbd_\w{8}_\w{20,}/.exec(stdout) ?? [];
      const ports = { DBDEPOT_PORT: "18473", DBDEPOT_OBJECTS_PORT: "18474", DBDEPOT_METRICS_PORT: "off" };
      const serving = spawn("bwrap", contained([...config.Entrypoint, ...config.Cmd], ports), { stdio: "ignore" });
      try {
        const check = () =>
          run("bwrap", contained(config.Healthcheck.Test.slice(1), ports)).then(
            () => 0,
            ({ code }) => code,
          );
        await expect.poll(check).toBe(0);
        const get = (path: string) =>
          fetch(`http://127.0.0.1:18473/api/v2/database/${path}`, { headers: { authorization: `Bearer ${key}` } });
        expect(await (await get("list")).json()).toMatchObject({ databases: [{ standing: "licensed" }] });
        const file = Buffer.from(await (await get("download?id=tor_exit_ip_v1&format=mmdb")).arrayBuffer());
        expect(file.equals(await readFile(join(root, "volume/build/tor_exit_ip_v1.mmdb")))).toBe(true);
      } finally {
        serving.kill();
        await once(serving, "exit");
      }
    });
  });
});

interface ImageConfig {
  Env: string[];
  User: string;
  WorkingDir: string;
  Entrypoint: string[];
  Cmd: string[];
  Healthcheck: { Test: string[] };
  ExposedPorts: Record<string, unknown>;
}
