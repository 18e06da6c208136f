import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { tarOf } from "../../src/transfers/tar.ts";

it.each([
  [0, "a_v1"],
  [511, "a_v1"],
  [8 * 1024 ** 3 - 1, "a_v1"],
  [8 * 1024 ** 3, "a_v1"],
  [3 * 1024 ** 4, "a_v1"],
  // The longest id of a database.
  [1, "x".repeat(64)],
])("the headers of an archive say that a file has %i bytes", async (sizeBytes, id) => {
  const directory = `${id}_20261101`;
  const file = { directory, name: `${id}.mmdb`, sizeBytes, modified: new Date("2026-11-01") };
  const headers = [];
  for await (const chunk of tarOf(file, (async function* () {})())) {
    headers.push(chunk);
    if (headers.length === 2) break;
  }
  // tar complains that the content is missing, after it has printed the entry.
  const { stdout } = spawnSync("tar", ["-tvf", "-", "--utc", "--numeric-owner"], { input: Buffer.concat(headers) });
  const [, entry] = stdout.toString().replaceAll(/ +/g, " ").split("\n");
  expect(entry).toBe(`-rw-r--r-- 0/0 ${sizeBytes} 2026-11-01 00:00 ${directory}/${id}.mmdb`);
});
