import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { Customer } from "../../../../rigs/harness/service/customer.ts";
import { type OpenStage, type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { TestClock } from "../../../../rigs/harness/service/test-clock.ts";
import { Operator } from "../../../../rigs/harness/service/test-service.ts";
import { startService } from "../../src/service/service.ts";
import { build, buildFile } from "../adapters/sql/samples.ts";
import { LegacyCustomer } from "../routes/v1/legacy-customer.ts";

const GIB = 1024 ** 3;
/** More than all buffers of a connection hold. */
const RANDOM_BYTES = 64 * 1024 ** 2;
/** An idle server needs 110 to 135 MB, depending on the processor. Buffering the file would need gigabytes. */
const PEAK_MAX_MB = 200;
/** Each transfer has a compressor as well. */
const COMPRESSING_PEAK_MAX_MB = 300;
const STREAMS = 64;
const COMMAND = join(import.meta.dirname, "../../bin/dbdepot-server.js");

describe("The server needs little memory", needs("Linux"), () => {
  const [stage] = stages() as [Stage];
  let opened: OpenStage;
  let keys: { v2: string; v1: { uuid: string; keyId: string } };
  beforeAll(async () => {
    opened = await stage.open();
    keys = await setUpGibibyte(opened);
  });
  afterAll(() => opened.dispose());

  const v1Url = async (apiUrl: string) =>
    new LegacyCustomer(apiUrl, keys.v1).url("download", { id: "vpn_ip_v1", format: "mmdb" });
  const linkUrl = async (apiUrl: string) => {
    const customer = new Customer(apiUrl, keys.v2, { organizationId: "", keyId: "" });
    return (await customer.download("vpn_ip_v1", "mmdb")).headers.get("location") ?? "";
  };

  const archiveUrl = async (apiUrl: string) =>
    `${apiUrl}/geoip/databases/vpn_ip_v1/download?suffix=tar.gz&apikey=${keys.v2}`;

  describe.each([
    ["v1", v1Url, GIB, PEAK_MAX_MB],
    ["the gateway", linkUrl, GIB, PEAK_MAX_MB],
    // Two headers before the file, and two empty blocks after it.
    ["geoipupdate", archiveUrl, GIB + 4 * 512, COMPRESSING_PEAK_MAX_MB],
  ])("while %s", (_, urlOn, sizeBytes, stalledMaxMb) => {
    it("sends 1 GiB", async () => {
      await using server = await serve(opened);
      const [response] = (await once(get(await urlOn(server.apiUrl)), "response")) as [IncomingMessage];
      let receivedBytes = 0;
      for await (const chunk of sizeBytes === GIB ? response : response.pipe(createGunzip())) {
        receivedBytes += chunk.length;
      }
      expect(receivedBytes).toBe(sizeBytes);
      expect(await peakMb(server.child)).toBeLessThan(PEAK_MAX_MB);
    });

    it(`sends 1 GiB to each of ${STREAMS} clients that stop reading`, async () => {
      await using server = await serve(opened);
      const url = await urlOn(server.apiUrl);
      const responses = await Promise.all(
        Array.from({ length: STREAMS }, async () => {
          const [response] = (await once(get(url), "response")) as [IncomingMessage];
          await once(response, "readable");
          return response;
        }),
      );
      // Another download is interleaved with the stalled ones, so all of them have filled their buffers when it ends.
      const [response] = await once(get(url), "response");
      for await (const _chunk of response);
      expect(await peakMb(server.child)).toBeLessThan(stalledMaxMb);
      for (const stalled of responses) stalled.destroy();
    });
  });
});

async function peakMb({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1000;
}

/** Adds a build whose file is 1 GiB: random bytes, which cannot be compressed, and then zeros, stored as a sparse file. */
async function setUpGibibyte({ settings }: OpenStage) {
  const service = await startService(settings, { log: pino({ level: "silent" }) });
  const operator = new Operator(service, new TestClock());
  await operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
  const file = buildFile({ sizeBytes: GIB });
  const current = build("vpn_ip_v1", { state: "published", files: { mmdb: file } });
  await service.services.store.change(async (tables) => {
    await tables.builds.insert(current);
    await tables.versions.setCurrentBuild("vpn_ip_v1", current.id);
  });
  const path = join(settings.dataDir, "objects", file.objectKey);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, randomBytes(RANDOM_BYTES));
  await truncate(path, GIB);
  const customer = await operator.customer("Acme");
  await operator.grant("Acme", "vpn_ip");
  const legacy = await operator.legacyCustomer(["vpn_ip_v1"]);
  await service.close();
  return { v2: customer.key, v1: legacy };
}

interface RunningServer extends AsyncDisposable {
  child: ChildProcess;
  apiUrl: string;
}

/** Starts the command as an operator does, in a process without the test's memory. */
async function serve({ settings }: OpenStage): Promise<RunningServer> {
  const { database, dataDir } = settings;
  const child = spawn(COMMAND, ["serve"], {
    env: {
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      DBDEPOT_DATA_DIR: dataDir,
      DBDEPOT_DATABASE_URL: database.engine === "sqlite" ? `sqlite:${database.path}` : database.url,
      DBDEPOT_PORT: "0",
      DBDEPOT_OBJECTS_PORT: "0",
      DBDEPOT_METRICS_PORT: "off",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let apiUrl: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    apiUrl = /"api_url":"([^"]+)"/.exec(line)?.[1];
    if (apiUrl !== undefined) break;
  }
  child.stdout.resume(); // Discards the log, so the server does not block on a full pipe.
  if (apiUrl === undefined) throw new Error("the server did not start");
  return {
    child,
    apiUrl,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await once(child, "close");
    },
  };
}
