import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";

const CONFIGURATION = join(import.meta.dirname, "../../../deploy/nginx");

/** Starts nginx with the snippet for dbdepot. It forwards each `listen` port to `upstream`, without TLS. */
export async function startNginx(
  ports: [listen: number, upstream: number][],
  objects: string,
): Promise<AsyncDisposable> {
  const servers = ports.map(
    ([listen, upstream]) => `server {
      listen 127.0.0.1:${listen};
      include snippets/dbdepot.conf;
      location / { proxy_pass http://127.0.0.1:${upstream}; }
    }`,
  );
  return run(servers.join("\n"), objects, ports[0]?.[0] ?? 0);
}

export interface NginxSite {
  httpPort: number;
  httpsPort: number;
  apiPort: number;
  gatewayPort: number;
  certificate: { cert: string; key: string };
}

/** Starts nginx with deploy/nginx/dbdepot.conf. Only ports and paths are replaced. */
export async function startNginxSite(site: NginxSite, objects: string): Promise<AsyncDisposable> {
  const replacements = [
    ["listen 80;", `listen 127.0.0.1:${site.httpPort};`],
    ["listen 443 ssl;", `listen 127.0.0.1:${site.httpsPort} ssl;`],
    ["127.0.0.1:8080", `127.0.0.1:${site.apiPort}`],
    ["127.0.0.1:8081", `127.0.0.1:${site.gatewayPort}`],
    ["/etc/letsencrypt/live/api.example.com/fullchain.pem", site.certificate.cert],
    ["/etc/letsencrypt/live/api.example.com/privkey.pem", site.certificate.key],
  ] as const;
  let text = await readFile(join(CONFIGURATION, "dbdepot.conf"), "utf8");
  for (const [from, to] of replacements) text = replaceIn(text, from, to);
  return run(text, objects, site.httpPort);
}

/** Starts nginx with the upstreams for several servers from docs/operate/reverse-proxy.md, without TLS. */
export async function startLoadBalancer(listen: number, apiPorts: readonly number[]): Promise<AsyncDisposable> {
  const page = await readFile(join(import.meta.dirname, "../../../docs/operate/reverse-proxy.md"), "utf8");
  let upstreams = /```nginx\n(upstream dbdepot_api .*?)```/s.exec(page)?.[1] ?? "";
  for (const [i, port] of apiPorts.entries()) {
    upstreams = replaceIn(upstreams, `app${i + 1}.internal:8080`, `127.0.0.1:${port}`);
  }
  const server = `server {
    listen 127.0.0.1:${listen};
    include snippets/dbdepot.conf;
    location / { proxy_pass http://dbdepot_api; }
  }`;
  return run(upstreams + server, "/nonexistent", listen);
}

/** Starts nginx with these directives inside of `http`, and the modules that it has to load. */
export async function startNginxWith(
  listen: number,
  directives: string,
  modules: readonly string[] = [],
): Promise<AsyncDisposable> {
  return run(directives, "/nonexistent", listen, modules);
}

/** Starts nginx as a plain web server for a directory. */
export async function startStaticSite(listen: number, directory: string): Promise<AsyncDisposable> {
  return run(`server { listen 127.0.0.1:${listen}; root ${directory}; }`, "/nonexistent", listen);
}

async function run(
  servers: string,
  objects: string,
  readyPort: number,
  modules: readonly string[] = [],
): Promise<AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-nginx-"));
  const snippet = await readFile(join(CONFIGURATION, "snippets/dbdepot.conf"), "utf8");
  await mkdir(join(directory, "snippets"));
  await writeFile(join(directory, "snippets/dbdepot.conf"), replaceIn(snippet, "/srv/dbdepot/objects/", `${objects}/`));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`);
  await writeFile(
    join(directory, "nginx.conf"),
    // Debian's nginx.conf sets ssl_protocols, so a site must not repeat it outside of a server.
    `${modules.map((module) => `load_module ${module};`).join(" ")} daemon off; master_process off; pid nginx.pid; events {}
     http { access_log off; ssl_protocols TLSv1.2; ${temporary.join(" ")} ${servers} }`,
  );
  const errors = join(directory, "errors.txt");
  const child = spawn("nginx", ["-p", directory, "-c", join(directory, "nginx.conf"), "-e", errors]);
  const exited = once(child, "exit");
  await vi.waitFor(() => fetch(`http://127.0.0.1:${readyPort}/`, { redirect: "manual" }), { timeout: 60_000 });
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
      await rm(directory, { recursive: true });
    },
  };
}

function replaceIn(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the nginx configuration no longer contains ${from}`);
  return text.replaceAll(from, to);
}
