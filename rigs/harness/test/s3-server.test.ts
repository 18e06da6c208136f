import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startS3 } from "../servers/s3-server.ts";

let directory: string;
let bin: string;
let environment: Record<string, string>;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "dbdepot-fake-ceph-"));
  bin = join(directory, "bin");
  await mkdir(bin);
  environment = { PATH: `${bin}:${process.env.PATH}`, TMPDIR: directory };
  for (const program of ["monmaptool", "ceph-mon", "ceph-osd", "radosgw-admin"]) await fake(program, "exit 0");
  // Opens the port in the configuration file and answers every request with 200.
  const radosgw = `
    import { readFileSync } from "node:fs";
    import { createServer } from "node:http";
    const port = /endpoint=127.0.0.1:(\\d+)/.exec(readFileSync(process.argv[2], "utf8"))[1];
    createServer((_, response) => response.end()).listen(Number(port), "127.0.0.1");`;
  await writeFile(join(directory, "radosgw.mjs"), radosgw);
  await fake("radosgw", `exec "${process.execPath}" "${directory}/radosgw.mjs" "$2"`);
});
afterEach(() => rm(directory, { recursive: true }));

async function fake(program: string, script: string): Promise<void> {
  await writeFile(join(bin, program), `#!/bin/sh\n${script}\n`);
  await chmod(join(bin, program), 0o755);
}

/** Installs a `ceph` that fails the first `times`, as the real one occasionally does. */
async function cephThatFails(times: number): Promise<void> {
  const script = `
    cat >/dev/null
    echo started >>"${directory}/starts"
    [ "$(wc -l <"${directory}/starts")" -gt ${times} ] && exit 0
    echo "Error EPERM: problem getting command descriptions from mon.a"
    exit 1`;
  await fake("ceph", script);
}

async function starts(): Promise<number> {
  return (await readFile(join(directory, "starts"), "utf8")).trim().split("\n").length;
}

it("retries when Ceph fails to start", async () => {
  await cephThatFails(2);
  const s3 = await startS3(environment);
  expect(s3?.server).toMatchObject({ url: expect.stringContaining("s3://dbdepot-test?"), accessKeyId: "test" });
  expect(await starts()).toBe(3);
  await s3?.stop();
});

it("skips the S3 tests with one line if Ceph never starts, and fails in CI", async () => {
  await cephThatFails(100);
  const warnings: string[] = [];
  expect(await startS3(environment, (line) => warnings.push(line))).toBeNull();
  expect(await starts()).toBe(5);
  expect(warnings).toEqual([expect.stringMatching(/^Skipping the S3 tests: .* 5 attempts .*EPERM[^\n]*\n$/)]);
  const inCi = startS3({ ...environment, DBDEPOT_TEST_REQUIRE_TOOLS: "1" });
  await expect(inCi).rejects.toThrow(/DBDEPOT_TEST_REQUIRE_TOOLS is set, but Ceph did not start/);
});

it("says nothing if Ceph is not installed, and fails in CI", async () => {
  const warnings: string[] = [];
  expect(await startS3({ PATH: directory }, (line) => warnings.push(line))).toBeNull();
  expect(warnings).toEqual([]);
  const inCi = startS3({ PATH: directory, DBDEPOT_TEST_REQUIRE_TOOLS: "1" });
  await expect(inCi).rejects.toThrow("Ceph is not installed (radosgw, ceph-mon, ceph-osd)");
});
