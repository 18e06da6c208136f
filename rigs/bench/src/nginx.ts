import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { waitFor } from "../../harness/http.ts";
import { start, stop } from "../../harness/processes.ts";

/** Starts one nginx process without an access log. `locations` is the content of its `server` block. */
export async function startNginx(directory: string, port: number, locations: string): Promise<AsyncDisposable> {
  await mkdir(directory, { recursive: true });
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`);
  const config = `
    daemon off;
    master_process off;
    pid nginx.pid;
    events { worker_connections 1024; }
    http {
      ${temporary.join(" ")}
      access_log off;
      sendfile on;
      tcp_nopush on;
      server {
        listen 127.0.0.1:${port};
        location = /ready { return 204; }
        ${locations}
      }
    }`;
  await writeFile(join(directory, "nginx.conf"), config);
  const args = ["-p", directory, "-c", join(directory, "nginx.conf"), "-e", join(directory, "errors.txt")];
  const child = start("nginx", args, { stdio: "inherit" });
  await waitFor(`http://127.0.0.1:${port}`, { path: "/ready", headers: {} }, 204);
  return { [Symbol.asyncDispose]: () => stop(child) };
}
