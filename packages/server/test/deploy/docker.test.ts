import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseSettings, unknownSettings } from "../../src/settings/settings.ts";

const DEPLOY = join(import.meta.dirname, "../../../../deploy");
const dockerfile = readFileSync(join(DEPLOY, "docker/Dockerfile"), "utf8");

describe("deploy/docker/Dockerfile", () => {
  it.each([
    [200, 0],
    [503, 1],
  ])("has a health check that maps status %d of /readyz to exit code %d", async (status, exitCode) => {
    expect(dockerfile).toMatch(/^HEALTHCHECK .*\n\s+CMD \["node", "\/opt\/dbdepot\/healthcheck\.js"\]$/m);
    const argv = [join(DEPLOY, "docker/healthcheck.js")];
    await using server = createServer((request, response) => {
      response.writeHead(request.url === "/readyz" ? status : 404).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const check = spawn(process.execPath, argv, { env: { DBDEPOT_PORT: String(port) } });
    expect(await once(check, "exit")).toEqual([exitCode, null]);
  });

  it("runs the server as a user that is not root", () => {
    expect(dockerfile).toMatch(/^USER 1000:0$/m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["dbdepot-server"\]\nCMD \["serve"\]$/m);
  });
});

interface ComposeService {
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: Record<string, unknown> | string[];
  build?: { context: string; dockerfile: string };
  read_only?: boolean;
  ulimits?: Record<string, number>;
}

describe("deploy/compose.yaml", () => {
  // Variables get values as Compose would give them.
  const text = readFileSync(join(DEPLOY, "compose.yaml"), "utf8").replaceAll(/\$\{(\w+):\?\}/g, (_, name) =>
    String(name).toLowerCase().replaceAll("_", "-"),
  );
  const compose: { services: Record<string, ComposeService>; volumes: Record<string, null> } = parse(text, {
    merge: true,
  });
  const services = Object.entries(compose.services);
  const servers = services.filter(([name]) => name.startsWith("dbdepot-"));

  it("refers only to services, volumes and files that exist", () => {
    for (const [, { depends_on = {}, volumes = [], build }] of services) {
      const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
      expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(needed));
      for (const [source = ""] of volumes.map((volume) => volume.split(":"))) {
        if (source.startsWith(".")) expect(existsSync(join(DEPLOY, source))).toBe(true);
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
      if (build) expect(existsSync(join(DEPLOY, build.context, build.dockerfile))).toBe(true);
    }
  });

  it("runs two servers with valid settings, a read-only root, a volume of their own and no core dumps", () => {
    expect(servers).toHaveLength(2);
    for (const [, { environment = {}, read_only, ulimits }] of servers) {
      expect(read_only).toBe(true);
      expect(ulimits).toEqual({ core: 0 });
      expect(unknownSettings(environment)).toEqual([]);
      expect(parseSettings(environment)).toMatchObject({
        database: { engine: "postgres" },
        objects: { store: "s3" },
        publicUrl: "https://api-host",
        objectsPublicUrl: "https://downloads-host",
      });
    }
    expect(new Set(servers.map(([, { volumes }]) => volumes?.[0])).size).toBe(2);
  });

  it("lets Caddy forward requests to both servers", () => {
    const { API_UPSTREAMS = "", DOWNLOADS_UPSTREAMS = "" } = compose.services.caddy?.environment ?? {};
    expect(API_UPSTREAMS.split(" ")).toEqual(servers.map(([name]) => `${name}:8080`));
    expect(DOWNLOADS_UPSTREAMS).toBe("s3:9000");
    const caddyfile = readFileSync(join(DEPLOY, "caddy/Caddyfile"), "utf8");
    for (const name of Object.keys(compose.services.caddy?.environment ?? {}))
      expect(caddyfile).toContain(`{$${name}:`);
  });
});
