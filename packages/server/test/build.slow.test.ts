import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dbdepot-bundle-"));
  await cp(join(import.meta.dirname, "../dist"), join(folder, "dist"), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("the bundle serves the docs, the console and the API without node_modules, and exports traces", async () => {
  const collector = createServer((request, response) => {
    paths.push(request.url ?? "");
    response.end("{}");
  }).listen(0, "127.0.0.1");
  const paths: string[] = [];
  await once(collector, "listening");
  const start = `import(${JSON.stringify(join(folder, "dist/main.js"))}).then(({ main }) => main(["serve"]))`;
  const server = spawn(process.execPath, ["--eval", start], {
    cwd: folder,
    env: {
      DBDEPOT_DATA_DIR: join(folder, "data"),
      DBDEPOT_PORT: "0",
      DBDEPOT_OBJECTS_PORT: "0",
      DBDEPOT_METRICS_PORT: "off",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const url = await printedUrl(server.stdout);
    const page = await fetch(`${url}/docs`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("/api/v2/database/download");
    const console = await (await fetch(`${url}/console`)).text();
    const script = /src="(\/console\/assets\/[^"]+)"/.exec(console)?.[1];
    expect((await fetch(url + script)).status).toBe(200);
    expect((await fetch(`${url}/api/v2/database/list`)).status).toBe(401);
  } finally {
    server.kill();
    await once(server, "close");
    collector.close();
  }
  expect(paths).toContain("/v1/traces");
});

/** Returns the URL from the log. */
async function printedUrl(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const { api_url: url } = JSON.parse(line);
    if (url) return url;
  }
  throw new Error("the server exited without printing its URL");
}
