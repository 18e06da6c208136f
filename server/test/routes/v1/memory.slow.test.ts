import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { startService } from "../../../src/service.ts";
import { build, buildFile } from "../../sql/samples.ts";
import { type OpenStage, type Stage, stages } from "../../stages.ts";
import { TestClock } from "../../test-clock.ts";
import { Operator } from "../../test-service.ts";
import { LegacyCustomer } from "./legacy-customer.ts";

const GIB = 1024 ** 3;
const PEAK_MAX_MB = 160;
const COMMAND = join(import.meta.dirname, "../../../bin/dbdepot-server.js");

describe("the memory of the service", () => {
  const [stage] = stages() as [Stage];

  it.runIf(canMeasure())(`stays below ${PEAK_MAX_MB} MB while v1 sends 1 GiB from disk`, async () => {
    const opened = await stage.open();
    const key = await setUpGibibyte(opened);
    // The first start of an installation compiles, and keeps what it compiled.
    const first = await serve(opened);
    first.child.kill();
    await once(first.child, "close");
    const server = await serve(opened);
    try {
      const old = new LegacyCustomer(server.apiUrl, key);
      expect((await old.metadata("vpn_ip_v1")).status).toBe(200);
      const [reply] = await once(get(old.url("download", { id: "vpn_ip_v1", format: "mmdb" })), "response");
      let receivedBytes = 0;
      for await (const chunk of reply) receivedBytes += chunk.length;
      expect(receivedBytes).toBe(GIB);
      expect(await residentPeakMb(server.child)).toBeLessThan(PEAK_MAX_MB);
    } finally {
      server.child.kill();
      await once(server.child, "close");
      await opened.dispose();
    }
  });
});

/** The peak, and not only where it stood when somebody looked: Linux keeps it. */
function canMeasure(): boolean {
  if (process.platform === "linux") return true;
  process.stderr.write("The memory of another process cannot be read here: the test of 1 GiB does NOT run.\n");
  return false;
}

async function residentPeakMb({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1000;
}

/** A build whose file is a gibibyte of nothing, which takes no room on disk. */
async function setUpGibibyte({ settings }: OpenStage): Promise<{ uuid: string; keyId: string }> {
  const service = await startService(settings, { log: pino({ level: "silent" }) });
  const operator = new Operator(service, new TestClock());
  await operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
  const file = buildFile({ sizeBytes: GIB });
  const current = build("vpn_ip_v1", { state: "published", files: { mmdb: file } });
  await service.parts.store.change(async (tables) => {
    await tables.builds.insert(current);
    await tables.versions.setCurrentBuild("vpn_ip_v1", current.id);
  });
  const path = join(settings.dataDir, "objects", file.objectKey);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "");
  await truncate(path, GIB);
  const key = await operator.legacyCustomer(["vpn_ip_v1"]);
  await service.close();
  return key;
}

/** As the operator starts it: a process of its own, with nothing of the tests in its memory. */
async function serve({ settings }: OpenStage): Promise<{ child: ChildProcess; apiUrl: string }> {
  const { database, dataDir } = settings;
  const child = spawn(COMMAND, ["serve"], {
    env: {
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      DBDEPOT_DATA_DIR: dataDir,
      DBDEPOT_DATABASE_URL: database.engine === "sqlite" ? `sqlite:${database.path}` : database.url,
      DBDEPOT_PORT: "0",
      DBDEPOT_OBJECTS_PORT: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let apiUrl: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    apiUrl = /http:\/\/\S+/.exec(line)?.[0];
    if (apiUrl !== undefined) break;
  }
  // Its log is not read: it must not wait for that.
  child.stdout.resume();
  if (apiUrl === undefined) throw new Error("serve did not start");
  return { child, apiUrl };
}
