import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOf, ID, TestDepot } from "./depot.ts";
import { InstalledPackage } from "./package.ts";

const run = promisify(execFile);

describe("the built package", () => {
  let installed: InstalledPackage;
  let depot: TestDepot;
  const files = filesOf("first", 6_000_000);
  beforeAll(async () => {
    [installed, depot] = await Promise.all([InstalledPackage.unpack(), TestDepot.open()]);
    await depot.publish(files);
  });
  afterAll(async () => {
    await installed.dispose();
    await depot.dispose();
  });

  it("needs no other package", async () => {
    const names = (await readdir(join(installed.path, "dist"), { recursive: true })).filter((name) =>
      name.endsWith(".js"),
    );
    expect(names).toContain("index.js");
    for (const name of names) {
      const code = await readFile(join(installed.path, "dist", name), "utf8");
      const imported = [...code.matchAll(/^import .*?"([^"]+)";$|\bimport\("([^"]+)"\)/gm)].map(([, a, b]) => a ?? b);
      expect(imported.filter((specifier = "") => !isBuiltin(specifier) && !/^\.\.?\//.test(specifier))).toEqual([]);
    }
  });

  it("loads no Node module until it knows that it runs in Node", async () => {
    const seen = new Set<string>();
    const walk = async (name: string): Promise<void> => {
      if (seen.has(name)) return;
      seen.add(name);
      const code = await readFile(join(installed.path, "dist", name), "utf8");
      for (const [, specifier = ""] of code.matchAll(/^(?:import|export) .*?"([^"]+)";$/gm)) {
        expect(specifier).toMatch(/^\.\//);
        await walk(specifier.slice(2));
      }
    };
    await walk("index.js");
    expect(seen.size).toBeGreaterThan(1);
  });

  it("runs the example in README.md", async () => {
    const page = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
    const [[, program = ""] = [], ...more] = page.matchAll(/^```js\n(.*?)^```$/gms);
    expect(more).toEqual([]);
    await writeFile(join(installed.folder, "readme.mjs"), program);
    const { apiUrl, key } = depot.customer;
    const env = { ...process.env, DBDEPOT_CLIENT_URL: apiUrl, DBDEPOT_CLIENT_KEY: key };
    await run(process.execPath, ["readme.mjs"], { cwd: installed.folder, env });
    expect((await readFile(join(installed.folder, "vpn_ip_v1.mmdb"))).equals(files.mmdb)).toBe(true);
  });

  it("runs the examples in docs/customers/library.md", async () => {
    const page = await readFile(join(import.meta.dirname, "../../../docs/customers/library.md"), "utf8");
    const program = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code).join("\n");
    await writeFile(join(installed.folder, "shown.mjs"), program);
    const { apiUrl, key } = depot.customer;
    const env = { ...process.env, DBDEPOT_CLIENT_URL: apiUrl, DBDEPOT_CLIENT_KEY: key };
    const { stdout, stderr } = await run(process.execPath, ["shown.mjs"], { cwd: installed.folder, env });
    expect(stderr).toBe("");
    expect(stdout).toContain(`vpn_ip licensed ${ID} (csvgz, mmdb)`);
    expect((await readFile(join(installed.folder, "vpn_ip_v1.mmdb"))).equals(files.mmdb)).toBe(true);
  });

  it("has types for TypeScript 5 and 7 that need no other package", async () => {
    await writeFile(
      join(installed.folder, "program.mts"),
      `import { DbdepotClient, DbdepotError, type Download } from "@dbdepot/client";
       const client = new DbdepotClient({ baseUrl: "https://depot.example", apiKey: "k" });
       export const sizes: Promise<number> = client.download("a_v1", "mmdb", { to: "x" }).then((done) => done.sizeBytes);
       export const toStream = (to: WritableStream<Uint8Array>) => client.download("a_v1", "csvgz", { to });
       export async function* history(): AsyncGenerator<Download> { yield* client.downloads({ limit: 3 }); }
       export const isFinal = (error: unknown) => error instanceof DbdepotError && !error.retryable && error.kind === "not_found";
       // @ts-expect-error: there is no such format
       client.checksums("a_v1", "zip");`,
    );
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"];
    for (const version of ["typescript", "typescript-7"]) {
      const tsc = join(dirname(createRequire(import.meta.url).resolve(`${version}/package.json`)), "bin/tsc");
      await run(process.execPath, [tsc, ...options, "program.mts"], { cwd: installed.folder });
    }
  });
});
