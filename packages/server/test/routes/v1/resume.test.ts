import { type ExecFileException, execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import {
  checksumsOf,
  fileBytes,
  type TestService,
  testService,
} from "../../../../../rigs/harness/service/test-service.ts";
import { type LegacyCustomer, legacyKeyOf } from "./legacy-customer.ts";

const MIB = 1024 * 1024;
const CUT_AFTER_BYTES = 1.5 * MIB;
/** Random, so a wrong range cannot produce the right digest by chance. */
const CONTENT = randomBytes(4 * MIB).toString("hex");

/** Arguments to fetch and to resume. No tool may read the user's configuration. */
const TOOLS: Record<string, { fetch: string[]; resume: string[]; into: string }> = {
  curl: { fetch: ["-q", "-sS", "--noproxy", "*"], resume: ["-C", "-"], into: "-o" },
  wget: { fetch: ["--no-config", "--no-proxy", "-q", "--tries=1"], resume: ["-c"], into: "-O" },
  aria2c: {
    fetch: ["--no-conf", "--no-proxy=*", "-q", "-x4", "-s4", "-k1M", "--max-tries=1", "--dir=/"],
    resume: ["-c"],
    into: "-o",
  },
};

for (const stage of eitherStage()) {
  describe(`Interrupted v1 downloads on ${stage.name}`, () => {
    let test: TestService;
    let legacy: LegacyCustomer;
    let proxy: CuttingProxy;
    let folder: string;

    beforeAll(async () => {
      test = await testService(stage);
      await test.operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
      await test.operator.publish("vpn_ip_v1", CONTENT);
      legacy = await legacyKeyOf(test, undefined, ["vpn_ip_v1"]);
      proxy = await CuttingProxy.inFrontOf(test.service.apiUrl);
      folder = await mkdtemp(join(tmpdir(), "dbdepot-resume-"));
    });
    afterAll(async () => {
      proxy.close();
      await test.dispose();
      await rm(folder, { recursive: true });
    });

    for (const [tool, { fetch, resume, into }] of Object.entries(TOOLS)) {
      it(`produce the right digest after resuming with ${tool} ${resume.join(" ")}`, needs(tool), async () => {
        const file = join(folder, `${tool}.mmdb`);
        const url = legacy.url("download", { id: "vpn_ip_v1", format: "mmdb" }).replace(legacy.apiUrl, proxy.url);
        const target = [into, tool === "aria2c" ? file.slice(1) : file, url];

        proxy.isCutting = true;
        expect(await exitCode(tool, [...fetch, ...target])).not.toBe(0);
        const part = await readFile(file);
        expect(sha256(part)).not.toBe(sha256(fileBytes("mmdb", CONTENT)));

        proxy.isCutting = false;
        expect(await exitCode(tool, [...fetch, ...resume, ...target])).toBe(0);
        expect(sha256(await readFile(file))).toBe(checksumsOf(fileBytes("mmdb", CONTENT)).sha256);
        const [newest] = await test.service.services.store.attempts.list({ api: "v1", limit: 1 });
        expect(newest).toMatchObject({ outcome: "ok", httpStatus: 206 });
      });
    }
  });
}

/** Runs the tool asynchronously, because the service runs in this process. */
async function exitCode(tool: string, args: string[]): Promise<number | string> {
  const { promise, resolve } = Promise.withResolvers<ExecFileException | null>();
  execFile(tool, args, { timeout: 100_000 }, resolve);
  return (await promise)?.code ?? 0;
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Resets every connection in the middle of the file while `isCutting` is true. */
class CuttingProxy {
  isCutting = false;
  readonly #server: Server;

  private constructor(apiUrl: string) {
    const { hostname, port } = new URL(apiUrl);
    this.#server = createServer((client) => {
      const service = connect(Number(port), hostname);
      let forwarded = 0;
      service.on("data", (chunk) => {
        forwarded += chunk.length;
        if (this.isCutting && forwarded > CUT_AFTER_BYTES) client.resetAndDestroy();
      });
      for (const side of [client, service]) {
        side.on("error", () => {});
        side.on("close", () => (side === client ? service : client).destroySoon());
      }
      client.pipe(service).pipe(client);
    });
  }

  static async inFrontOf(apiUrl: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(apiUrl);
    await once(proxy.#server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
  }
}
