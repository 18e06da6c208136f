import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { exchange } from "../exchange.ts";
import { freePorts, start, stop } from "../processes.ts";

export interface Nginx extends AsyncDisposable {
  /** The file as it lies there. */
  plainUrl: string;
  /** The file behind a link that nginx verifies, as the gateway does. */
  linkUrl: string;
}

const SECRET = "of no value";
const LINK_TTL_SECONDS = 3600;
const START_LIMIT_MS = 5000;

/** One nginx process that serves one file by sendfile, and logs nothing: as fast as it can. */
export async function startNginx(program: string, folder: string, file: string): Promise<Nginx> {
  const [port = 0] = await freePorts(1);
  const config = join(folder, "nginx.conf");
  await mkdir(folder, { recursive: true });
  await writeFile(config, configText(folder, dirname(file), port));
  const child = start(program, ["-p", folder, "-c", config, "-e", join(folder, "nginx-errors.txt")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const origin = `http://127.0.0.1:${port}`;
  await answered(child, origin);
  return {
    plainUrl: `${origin}/plain/${basename(file)}`,
    linkUrl: origin + linkTo(`/links/${basename(file)}`),
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** In one process, which is who started it: there is no other user who would have to be let at the files. */
function configText(folder: string, root: string, port: number): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  return `
daemon off;
master_process off;
pid ${join(folder, "nginx.pid")};
events { worker_connections 1024; }
http {
  ${temporary.join("\n  ")}
  access_log off;
  sendfile on;
  tcp_nopush on;
  server {
    listen 127.0.0.1:${port};
    location = /ready { return 204; }
    location /plain/ { alias ${root}/; }
    location /links/ {
      secure_link $arg_md5,$arg_expires;
      secure_link_md5 "$secure_link_expires$uri ${SECRET}";
      if ($secure_link = "") { return 403; }
      if ($secure_link = "0") { return 410; }
      alias ${root}/;
    }
  }
}
`;
}

function linkTo(path: string): string {
  const expires = Math.floor(Date.now() / 1000) + LINK_TTL_SECONDS;
  const md5 = createHash("md5").update(`${expires}${path} ${SECRET}`).digest("base64url");
  return `${path}?md5=${md5}&expires=${expires}`;
}

async function answered(child: ChildProcess, origin: string): Promise<void> {
  for (const began = performance.now(); performance.now() - began < START_LIMIT_MS; await delay(20)) {
    if (child.exitCode !== null) break;
    const response = await exchange(origin, { path: "/ready", headers: {} }).catch(() => undefined);
    if (response?.status === 204) return;
  }
  await stop(child);
  throw new Error("nginx did not start");
}
