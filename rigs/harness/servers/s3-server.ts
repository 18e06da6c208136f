import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { freePort } from "../free-port.ts";
import { pathOf } from "../tools.ts";
import { stopByStdin } from "./stdin-bound.ts";

/** An S3 server with a bucket for the tests. */
export interface S3Server {
  url: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Another user, who has buckets of its own. Undefined if the server is not ours. */
  customer?: { accessKeyId: string; secretAccessKey: string };
  /** The configuration of Ceph, for its administration. Undefined if the server is not ours. */
  cephConf?: string;
}

interface StartedS3 {
  server: S3Server;
  stop(): Promise<void>;
}

type Environment = Record<string, string | undefined>;

const CEPH_ATTEMPTS = 5;

/**
 * Uses the server at `DBDEPOT_TEST_S3_URL`, or starts a Ceph RGW if Ceph is installed. Without either it returns null, or
 * throws if `DBDEPOT_TEST_REQUIRE_TOOLS` is set. It warns about a Ceph that does not start.
 */
export async function startS3(
  environment: Environment = process.env,
  warn: (line: string) => void = (line) => process.stderr.write(line),
): Promise<StartedS3 | null> {
  if (environment.DBDEPOT_TEST_S3_URL) return { server: serverFromEnvironment(environment), stop: async () => {} };
  const missing = ["radosgw", "ceph-mon", "ceph-osd"].filter((command) => !pathOf(command, environment));
  const isInstalled = missing.length === 0;
  const ceph = isInstalled ? await startCeph(environment) : `Ceph is not installed (${missing.join(", ")})`;
  if (typeof ceph !== "string") return ceph;
  if (environment.DBDEPOT_TEST_REQUIRE_TOOLS) throw new Error(`DBDEPOT_TEST_REQUIRE_TOOLS is set, but ${ceph}`);
  if (isInstalled) warn(`Skipping the S3 tests: ${ceph}\n`);
  return null;
}

function serverFromEnvironment(environment: Environment): S3Server {
  const {
    DBDEPOT_TEST_S3_URL: url,
    DBDEPOT_TEST_S3_ACCESS_KEY_ID: accessKeyId,
    DBDEPOT_TEST_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = environment;
  if (!url || !accessKeyId || !secretAccessKey) {
    throw new Error("DBDEPOT_TEST_S3_URL requires DBDEPOT_TEST_S3_ACCESS_KEY_ID and DBDEPOT_TEST_S3_SECRET_ACCESS_KEY");
  }
  return { url, accessKeyId, secretAccessKey };
}

/** Ceph fails to start about once in ten times, so this retries. Returns the reason if Ceph doesn't run. */
async function startCeph(environment: Environment): Promise<StartedS3 | string> {
  let reason = "";
  for (let attempt = 1; attempt <= CEPH_ATTEMPTS; attempt += 1) {
    const started = await startCephOnce(environment);
    if (typeof started !== "string") return started;
    reason = started;
  }
  return `Ceph did not start in ${CEPH_ATTEMPTS} attempts (${reason})`;
}

async function startCephOnce(environment: Environment): Promise<StartedS3 | string> {
  const [port, monitorPort] = [await freePort(), await freePort()];
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
  const script = join(import.meta.dirname, "ceph-rgw.sh");
  const ceph = spawn(script, [directory, String(port), String(monitorPort)], { env: environment });
  let stderr = "";
  ceph.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const isReady = await Promise.race([
    once(createInterface(ceph.stdout), "line").then(() => true),
    once(ceph, "close").then(() => false),
  ]);
  if (!isReady) return stderr.trim().split("\n")[0] ?? "";

  const endpoint = `http://127.0.0.1:${port}`;
  const credentials = { accessKeyId: "test", secretAccessKey: "testsecret" };
  const stop = () => stopByStdin(ceph);
  try {
    const client = new S3Client({ endpoint, credentials, region: "us-east-1", forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: "dbdepot-test" })).finally(() => client.destroy());
  } catch (error) {
    await stop();
    return `cannot create a bucket: ${(error as Error).message}`;
  }
  const url = `s3://dbdepot-test?region=us-east-1&endpoint=${endpoint}&pathStyle=true`;
  const customer = { accessKeyId: "customer", secretAccessKey: "customersecret" };
  return { server: { url, ...credentials, customer, cephConf: join(directory, "ceph.conf") }, stop };
}
