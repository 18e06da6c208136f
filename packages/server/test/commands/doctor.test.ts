import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { engines } from "../../../../rigs/harness/service/engines.ts";
import { startService } from "../../src/service/service.ts";
import { parseSettings } from "../../src/settings/settings.ts";
import { listen, stop } from "../adapters/objects/disk-with-gateway.ts";
import { terminalOn } from "./terminal.ts";

describe("dbdepot-server doctor", () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error("no database engine is available");
  const terminal = terminalOn(sqlite);

  interface Finding {
    check: string;
    ok: boolean;
    verdict: string;
    detail: string;
  }

  async function diagnoseLinks(settings: Record<string, string> = {}): Promise<Omit<Finding, "check">> {
    const restore = { ...terminal.environment };
    Object.assign(terminal.environment, settings);
    const { out } = await terminal.run("doctor", "--json");
    for (const name of Object.keys(settings)) delete terminal.environment[name];
    Object.assign(terminal.environment, restore);
    const { findings } = JSON.parse(out) as { findings: Finding[] };
    const links = findings.find(({ check }) => check === "links");
    if (!links) throw new Error("doctor did not check links");
    const { check: _, ...finding } = links;
    return finding;
  }

  it("checks links by fetching an object through one", async () => {
    const objectsPort = String(await freePort());
    const settings = { DBDEPOT_PORT: "0", DBDEPOT_OBJECTS_PORT: objectsPort };
    const service = await startService(parseSettings({ ...terminal.environment, ...settings }), {
      log: pino({ level: "silent" }),
    });
    onTestFinished(() => service.close());
    expect(await diagnoseLinks(settings)).toEqual({
      ok: true,
      verdict: "ok",
      detail: `http://127.0.0.1:${objectsPort} delivers a stored object, refuses a forged link, and its clock is in sync`,
    });
  });

  it("fails if something else responds to links", async () => {
    const other = createServer((_, response) => response.end("welcome"));
    const origin = await listen(other);
    onTestFinished(() => stop(other));
    const { ok, verdict, detail } = await diagnoseLinks({ DBDEPOT_OBJECTS_PUBLIC_URL: origin });
    expect([ok, verdict]).toEqual([false, "failed"]);
    expect(detail).toContain(`a link to ${origin} did not deliver the stored object (status 200)`);
    expect(detail).toContain("set DBDEPOT_OBJECTS_PUBLIC_URL");
  });

  it("fails if the proxy does not send files and DBDEPOT_SENDFILE is on", async () => {
    const proxy = createServer((_, response) => response.setHeader("x-accel-redirect", "/_dbdepot/objects/x").end());
    const origin = await listen(proxy);
    onTestFinished(() => stop(proxy));
    const { ok, detail } = await diagnoseLinks({
      DBDEPOT_OBJECTS_PUBLIC_URL: origin,
      DBDEPOT_SENDFILE: "x-accel-redirect",
      DBDEPOT_TRUSTED_PROXIES: "127.0.0.1/32",
    });
    expect(ok).toBe(false);
    expect(detail).toContain("set DBDEPOT_SENDFILE=off, or let the proxy there send files");
  });

  it("fails if a CDN delivers objects without checking their token", async () => {
    const folder = join(terminal.environment.DBDEPOT_DATA_DIR ?? "", "objects");
    const cdn = createServer(async ({ url = "" }, response) => {
      const { pathname } = new URL(url, "http://cdn");
      response.end(await readFile(join(folder, pathname)));
    });
    const origin = await listen(cdn);
    onTestFinished(() => stop(cdn));
    const keyFile = join(folder, "../link-keys");
    await writeFile(keyFile, `a ${"x".repeat(32)}`);
    const { verdict, detail } = await diagnoseLinks({
      DBDEPOT_LINKS: "hmac",
      DBDEPOT_LINK_ORIGINS: origin,
      DBDEPOT_LINK_KEY_FILE: keyFile,
    });
    expect([verdict, detail]).toEqual([
      "failed",
      expect.stringContaining(`${origin} delivers objects to links with a wrong`),
    ]);
  });

  it("passes with a note if nothing responds to links", async () => {
    const { ok, verdict, detail } = await diagnoseLinks({
      DBDEPOT_OBJECTS_PUBLIC_URL: `http://127.0.0.1:${await freePort()}`,
    });
    expect([ok, verdict]).toEqual([true, "note"]);
    expect(detail).toContain('is unreachable (ECONNREFUSED): fine if "serve" is not running');
  });
});
