import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOf, ID, sha256Of, TestDepot } from "./depot.ts";
import { InstalledPackage, OLD_NODE } from "./package.ts";

const run = promisify(execFile);

describe("the package that customers install", () => {
  let installed: InstalledPackage;
  let depot: TestDepot;
  const files = filesOf("first", 6_000_000);
  beforeAll(async () => {
    [installed, depot] = await Promise.all([InstalledPackage.build(), TestDepot.open()]);
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
      for (const specifier of imported) expect(specifier).toMatch(/^(node:|\.\.?\/)/);
    }
  });

  it("loads nothing of Node's before it is known to run there", async () => {
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

  it("downloads on Node 20, both formats, to a path and to a stream", async () => {
    const program = join(installed.folder, "program.mjs");
    await writeFile(
      program,
      `import { createWriteStream } from "node:fs";
       import { DbdepotClient } from "@dbdepot/client";
       const [baseUrl, apiKey, folder] = process.argv.slice(2);
       const client = new DbdepotClient({ baseUrl, apiKey });
       const results = [process.versions.node.split(".")[0]];
       for (const format of ["mmdb", "csvgz"]) {
         for (const to of [folder + "/node20." + format, createWriteStream(folder + "/node20-stream." + format)]) {
           results.push((await client.download("${ID}", format, { to })).sha256);
         }
       }
       console.log(JSON.stringify(results));`,
    );
    const { apiUrl, key } = depot.customer;
    const { stdout } = await run(OLD_NODE, [program, apiUrl, key, depot.folder]);
    const [mmdb, csvgz] = [sha256Of(files.mmdb), sha256Of(files.csvgz)];
    expect(JSON.parse(stdout)).toEqual(["20", mmdb, mmdb, csvgz, csvgz]);
    for (const format of ["mmdb", "csvgz"] as const) {
      expect((await readFile(depot.path(`node20.${format}`))).equals(files[format])).toBe(true);
    }
  });

  it("does what docs/client.md shows", async () => {
    const page = await readFile(join(import.meta.dirname, "../../docs/client.md"), "utf8");
    const program = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code).join("\n");
    await writeFile(join(installed.folder, "shown.mjs"), program);
    const { apiUrl, key } = depot.customer;
    const env = { ...process.env, DBDEPOT_URL: apiUrl, DBDEPOT_API_KEY: key };
    const { stdout, stderr } = await run(OLD_NODE, ["shown.mjs"], { cwd: installed.folder, env });
    expect(stderr).toBe("");
    expect(stdout).toContain(`vpn_ip licensed ${ID} (csvgz, mmdb)`);
    expect((await readFile(join(installed.folder, "vpn_ip_v1.mmdb"))).equals(files.mmdb)).toBe(true);
  });

  it("has the command, on Node 20 too", async () => {
    for (const node of [OLD_NODE, process.execPath]) {
      const { stdout } = await run(node, [join(installed.path, "bin/dbdepot.js"), "--help"]);
      expect(stdout).toContain("dbdepot");
    }
  });

  it("has types that need no other package", async () => {
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
    const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"];
    await run(process.execPath, [tsc, ...options, "program.mts"], { cwd: installed.folder });
  });
});
