import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";

/** Starts nginx with the snippet from docs/operate/reverse-proxy.md. It forwards each `listen` port to `upstream`. */
export async function startNginx(
  ports: [listen: number, upstream: number][],
  objects: string,
): Promise<AsyncDisposable> {
  const docs = await readFile(join(import.meta.dirname, "../../docs/operate/reverse-proxy.md"), "utf8");
  const snippet = /```nginx\n(.*?)```/s.exec(docs)?.[1]?.replaceAll("/srv/dbdepot/objects/", `${objects}/`);
  if (!snippet?.includes(objects)) throw new Error("docs/operate/reverse-proxy.md has no nginx snippet");
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-nginx-"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`);
  const servers = ports.map(
    ([listen, upstream]) => `server {
      listen 127.0.0.1:${listen};
      location = /ready { return 204; }
      ${snippet}
      location / { proxy_pass http://127.0.0.1:${upstream}; }
    }`,
  );
  await writeFile(
    join(directory, "nginx.conf"),
    `daemon off; master_process off; pid nginx.pid; events {}
     http { access_log off; ${temporary.join(" ")} ${servers.join("\n")} }`,
  );
  const child = spawn("nginx", [
    "-p",
    directory,
    "-c",
    join(directory, "nginx.conf"),
    "-e",
    join(directory, "errors.txt"),
  ]);
  const exited = once(child, "exit");
  for (const [listen] of ports) {
    await vi.waitFor(() => fetch(`http://127.0.0.1:${listen}/ready`), { timeout: 10_000 });
  }
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
      await rm(directory, { recursive: true });
    },
  };
}
