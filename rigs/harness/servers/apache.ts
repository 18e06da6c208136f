import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";

const CONFIGURATION = join(import.meta.dirname, "../../../deploy/apache/dbdepot.conf");
const MODULES = "/usr/lib/apache2/modules";

export const XSENDFILE_MODULE = `${MODULES}/mod_xsendfile.so`;

/** Starts Apache with deploy/apache/dbdepot.conf, without TLS. Only ports and the directory of the files are replaced. */
export async function startApache(
  [[apiListen, apiPort], [gatewayListen, gatewayPort]]: [[number, number], [number, number]],
  objects: string,
): Promise<AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-apache-"));
  const listen = [apiListen, gatewayListen].map((port) => `127.0.0.1:${port}`);
  let hosts = (await readFile(CONFIGURATION, "utf8")).replace(/^ +SSL.*\n/gm, "");
  for (const [from, to] of [
    ["<VirtualHost *:443>", `<VirtualHost ${listen[0]}>`],
    ["<VirtualHost *:443>", `<VirtualHost ${listen[1]}>`],
    ["127.0.0.1:8080", `127.0.0.1:${apiPort}`],
    ["127.0.0.1:8081", `127.0.0.1:${gatewayPort}`],
    ["/srv/dbdepot/objects", objects],
    ["/srv/dbdepot/objects", objects],
  ] as const) {
    if (!hosts.includes(from)) throw new Error(`the Apache configuration no longer contains ${from}`);
    hosts = hosts.replace(from, to);
  }
  const modules = ["mpm_event", "authz_core", "headers", "proxy", "proxy_http", "xsendfile"];
  const configuration = join(directory, "apache2.conf");
  await writeFile(
    configuration,
    [
      ...modules.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`),
      `ServerRoot ${directory}`,
      "ServerName localhost",
      "PidFile apache2.pid",
      "DefaultRuntimeDir .",
      "ErrorLog errors.txt",
      // Apache refuses to serve as root. The group can read what the service stores for a proxy.
      ...(process.getuid?.() === 0 ? ["User www-data", "Group root"] : []),
      ...listen.map((address) => `Listen ${address}`),
      hosts,
    ].join("\n"),
  );
  const child = spawn("apache2", ["-DFOREGROUND", "-f", configuration]);
  const exited = once(child, "exit");
  await vi.waitFor(() => fetch(`http://127.0.0.1:${apiListen}/`, { redirect: "manual" }), { timeout: 60_000 });
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
      await rm(directory, { recursive: true });
    },
  };
}
