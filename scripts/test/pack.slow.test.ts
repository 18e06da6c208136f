import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pack } from "../release/pack.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

interface Sbom {
  bomFormat: string;
  metadata: { component: { name: string } };
  components: { name: string; version: string; purl: string; licenses: { expression: string }[] }[];
}

describe("a release", () => {
  let directory: string;
  let files: string[];
  let version: string;
  /** The packages that npm knows. */
  let known: Set<string>;
  beforeAll(async () => {
    ({ version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
    directory = await mkdtemp(join(tmpdir(), "dbdepot-release-"));
    files = await pack(directory);
    const { stdout } = await run("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], {
      cwd: ROOT,
      maxBuffer: 100_000_000,
    });
    known = new Set((JSON.parse(stdout) as Sbom).components.map(({ purl }) => purl));
  }, 300_000);
  afterAll(() => rm(directory, { recursive: true }));

  const sbomOf = async (name: string): Promise<Sbom> =>
    JSON.parse(await readFile(join(directory, `dbdepot-${name}-${version}.cdx.json`), "utf8"));

  it("has a tarball and an SBOM for the server and the client, and their sums", async () => {
    const names = ["server", "client"].flatMap((name) => [
      `dbdepot-${name}-${version}.tgz`,
      `dbdepot-${name}-${version}.cdx.json`,
    ]);
    expect(files).toEqual([...names, "SHA256SUMS"]);
    expect((await readdir(directory)).sort()).toEqual(files.toSorted());
    const { stdout } = await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: directory });
    expect(stdout).toBe(names.map((name) => `${name}: OK\n`).join(""));
  });

  it("contains the same client in the server, which hands it out", async () => {
    const options = { encoding: "buffer", maxBuffer: 100_000_000 } as const;
    const server = join(directory, `dbdepot-server-${version}.tgz`);
    const { stdout } = await run("tar", ["-xzOf", server, "package/dist/dbdepot-client.tgz"], options);
    expect(stdout.equals(await readFile(join(directory, `dbdepot-client-${version}.tgz`)))).toBe(true);
  });

  it.each([
    [
      "server",
      ["fastify", "kysely", "pg", "pino", "@aws-sdk/client-s3", "react", "@mantine/core", "@fontsource-variable/inter"],
    ],
    ["client", ["commander", "undici", "smol-toml"]],
  ])("lists every package bundled into the %s, as npm knows it", async (name, expected) => {
    const { bomFormat, metadata, components } = await sbomOf(name);
    expect([bomFormat, metadata.component.name]).toEqual(["CycloneDX", `@dbdepot/${name}`]);
    expect(components.map((each) => each.name)).toEqual(expect.arrayContaining(expected));
    expect(components.filter(({ purl }) => !known.has(purl))).toEqual([]);
    const { stdout: listing } = await run(
      "tar",
      ["-xzOf", `dbdepot-${name}-${version}.tgz`, "package/dist/THIRD_PARTY_LICENSES.txt"],
      {
        cwd: directory,
        maxBuffer: 100_000_000,
      },
    );
    for (const each of components) expect(listing).toContain(`${each.name} ${each.version}\n`);
  });

  it("contains no path of the machine it was built on", async () => {
    for (const name of ["server", "client"]) {
      const { stdout } = await run("tar", ["-xzOf", `dbdepot-${name}-${version}.tgz`], {
        cwd: directory,
        maxBuffer: 1_000_000_000,
      });
      expect(stdout.includes(ROOT)).toBe(false);
    }
  });
});
