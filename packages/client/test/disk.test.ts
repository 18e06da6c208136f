import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOf, ID, TestDepot } from "./depot.ts";

const run = promisify(execFile);
/** Half of the file, in blocks of 512 bytes. */
const LIMIT_BLOCKS = 6000;

describe.runIf(process.platform !== "win32")("a full disk", () => {
  let depot: TestDepot;
  beforeAll(async () => {
    depot = await TestDepot.open();
    await depot.publish(filesOf("first", 6_000_000));
  });
  afterAll(() => depot.dispose());

  it("is reported, and leaves the old file and no part files", async () => {
    const path = depot.path("full.mmdb");
    await writeFile(path, "the old file");
    const library = pathToFileURL(`${import.meta.dirname}/../src/index.ts`).href;
    const { apiUrl: baseUrl, key: apiKey } = depot.customer;
    const program = `
      const { DbdepotClient } = await import(${JSON.stringify(library)});
      const client = new DbdepotClient(${JSON.stringify({ baseUrl, apiKey })});
      await client.download("${ID}", "mmdb", { to: ${JSON.stringify(path)} }).catch(({ kind, code, retryable, message }) => {
        console.log(JSON.stringify({ kind, code, retryable, message }));
      });`;
    const limited = `ulimit -f ${LIMIT_BLOCKS}; exec "$0" --input-type=module -e "$1"`;
    const { stdout } = await run("sh", ["-c", limited, process.execPath, program]);
    const message = `${path}: the file is too large for this file system (EFBIG)`;
    expect(JSON.parse(stdout)).toEqual({ kind: "disk", code: "EFBIG", retryable: false, message });
    expect(await readFile(path, "utf8")).toBe("the old file");
    expect(await depot.parts(path)).toEqual([]);
  });
});
