import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createCertificate } from "../../../../rigs/harness/certificate.ts";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { programEnvironment } from "../../../../rigs/harness/program-environment.ts";
import { startNginxSite } from "../../../../rigs/harness/servers/nginx.ts";
import type { Customer } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { fileBytes, type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";

const run = promisify(execFile);
const [stage] = stages() as [Stage];
const HOSTS = ["api.example.com", "downloads.example.com"];
const FILE = fileBytes("mmdb", "content of vpn_ip_v1").toString();

interface Ports {
  httpPort: number;
  httpsPort: number;
  apiPort: number;
  gatewayPort: number;
}

interface Proxy extends AsyncDisposable {
  /** The file with the certificate of the authority that clients must trust. */
  authority: string;
}

interface ProxyUnderTest {
  tool: string;
  settings: Record<string, string>;
  start(ports: Ports, directory: string, objects: string): Promise<Proxy>;
}

const nginx: ProxyUnderTest = {
  tool: "nginx",
  settings: { DBDEPOT_SENDFILE: "x-accel-redirect" },
  async start(ports, directory, objects) {
    const certificate = await createCertificate(directory, HOSTS);
    const site = await startNginxSite({ ...ports, certificate }, objects);
    return { authority: certificate.cert, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() };
  },
};

const caddy: ProxyUnderTest = {
  tool: "caddy",
  settings: {},
  async start({ httpPort, httpsPort, apiPort, gatewayPort }, directory) {
    const file = await readFile(join(import.meta.dirname, "../../../../deploy/caddy/Caddyfile"), "utf8");
    // Its own certificate authority instead of a public one.
    const options = `{
      admin off
      http_port ${httpPort}
      https_port ${httpsPort}
      local_certs
      skip_install_trust
      storage file_system ${directory}
    }\n`;
    await writeFile(join(directory, "Caddyfile"), options + file);
    const env = {
      ...programEnvironment(),
      HOME: directory,
      API_UPSTREAMS: `127.0.0.1:${apiPort}`,
      DOWNLOADS_UPSTREAMS: `127.0.0.1:${gatewayPort}`,
    };
    const child = spawn("caddy", ["run", "--config", "Caddyfile", "--adapter", "caddyfile"], {
      cwd: directory,
      env,
      stdio: "ignore",
    });
    const exited = once(child, "exit");
    return {
      authority: join(directory, "pki/authorities/local/root.crt"),
      async [Symbol.asyncDispose]() {
        child.kill();
        await exited;
      },
    };
  },
};

for (const { tool, settings, start } of [nginx, caddy]) {
  describe(`deploy/${tool}`, needs(tool, "curl", "openssl"), () => {
    let test: TestService;
    let proxy: Proxy;
    let ports: Ports;
    let acme: Customer;
    let directory: string;
    beforeAll(async () => {
      const [httpPort, httpsPort, apiPort, gatewayPort] = (await Promise.all([1, 2, 3, 4].map(freePort))) as [
        number,
        number,
        number,
        number,
      ];
      ports = { httpPort, httpsPort, apiPort, gatewayPort };
      test = await testService(stage, {
        DBDEPOT_PORT: String(apiPort),
        DBDEPOT_OBJECTS_PORT: String(gatewayPort),
        DBDEPOT_PUBLIC_URL: `https://api.example.com:${httpsPort}`,
        DBDEPOT_OBJECTS_PUBLIC_URL: `https://downloads.example.com:${httpsPort}`,
        DBDEPOT_TRUSTED_PROXIES: "127.0.0.1/32",
        ...settings,
      });
      acme = await test.operator.customer("Acme");
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.grant("Acme", "vpn_ip");
      await test.operator.publish("vpn_ip_v1");
      directory = await mkdtemp(join(tmpdir(), "dbdepot-proxy-"));
      proxy = await start(ports, directory, join(test.dataDir, "objects"));
      await vi.waitFor(() => curl("/healthz", "--fail"), { timeout: 60_000, interval: 200 });
    });
    afterAll(async () => {
      await proxy?.[Symbol.asyncDispose]();
      await test?.dispose();
      await rm(directory, { recursive: true });
    });

    /** Calls the API as a customer would: by name and over TLS. */
    async function curl(path: string, ...options: string[]): Promise<string> {
      const { httpPort, httpsPort } = ports;
      const resolve = HOSTS.flatMap((host) =>
        [httpPort, httpsPort].flatMap((port) => ["--resolve", `${host}:${port}:127.0.0.1`]),
      );
      const url = path.startsWith("http") ? path : `https://api.example.com:${httpsPort}${path}`;
      const trust = ["--cacert", proxy.authority, "--noproxy", "*", "--silent", "--show-error"];
      return (await run("curl", [...trust, ...resolve, ...options, url])).stdout;
    }
    const withKey = () => ["-H", `Authorization: Bearer ${acme.key}`];

    it("serves the API over TLS", async () => {
      expect(JSON.parse(await curl("/api/v2/database/list", ...withKey()))).toMatchObject({
        databases: [{ base: "vpn_ip", standing: "licensed" }],
      });
    });

    it("tells browsers to use https only, also with files that it sends itself", async () => {
      const file = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream";
      const downloads = `https://downloads.example.com:${ports.httpsPort}/nothing-here`;
      for (const path of ["/healthz", "/nothing-here", file, downloads]) {
        const headers = await curl(path, ...withKey(), "--dump-header", "-", "--output", "/dev/null");
        expect([path, headers.match(/^strict-transport-security: .*$/gim)]).toEqual([
          path,
          [expect.stringMatching(/: max-age=31536000\r?$/)],
        ]);
      }
    });

    it("serves a download link on the other host", async () => {
      const path = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb";
      const location = await curl(path, ...withKey(), "--output", "/dev/null", "--write-out", "%{redirect_url}");
      expect(new URL(location).host).toBe(`downloads.example.com:${ports.httpsPort}`);
      expect(await curl(path, ...withKey(), "--location")).toBe(FILE);
      expect(await curl(location, "--range", "5-11")).toBe(FILE.slice(5, 12));
    });

    it("streams a file through the API", async () => {
      const path = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream";
      expect(await curl(path, ...withKey())).toBe(FILE);
    });

    it("passes on the client's address, not the one a client claims", async () => {
      await curl("/api/v2/database/list", ...withKey(), "-H", "X-Forwarded-For: 203.0.113.9");
      await expect.poll(() => test.logs()).toContain('"client_ip":"127.0.0.1"');
      expect(test.logs()).not.toContain("203.0.113.9");
    });

    it("redirects http to https", async () => {
      const url = `http://api.example.com:${ports.httpPort}/docs`;
      const redirect = await curl(url, "--output", "/dev/null", "--write-out", "%{http_code} %{redirect_url}");
      expect(redirect).toMatch(/^308 https:\/\/api\.example\.com(:\d+)?\/docs$/);
    });

    it("accepts a request body that is larger than nginx's default limit", async () => {
      await writeFile(join(directory, "large"), Buffer.alloc(2_000_000));
      const status = await curl(
        "/api/operator/nothing-here",
        "--data-binary",
        `@${join(directory, "large")}`,
        "--output",
        "/dev/null",
        "--write-out",
        "%{http_code}",
      );
      expect(status).not.toBe("413");
    });
  });
}
