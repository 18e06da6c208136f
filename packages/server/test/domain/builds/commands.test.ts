import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListedBuild, type PublishedBuild } from "@dbdepot/contract/operator/builds";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { terminalOn } from "../../commands/terminal.ts";
import { sampleBuild } from "./sample-build.ts";

const ID = "vpn_ip_v1";

for (const engine of eitherEngine()) {
  describe(`builds commands on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    let folder: string;
    const path = (name: string) => join(folder, name);
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
      await terminal.json("families", "add", "vpn_ip", "--name", "VPN IP");
      await terminal.json("versions", "add", ID, "--summary", "x", "--formats", "csvgz,mmdb");
    });
    afterAll(() => rm(folder, { recursive: true }));

    /** Writes the files of a build and returns the options that name them. */
    async function writeFiles(options = {}): Promise<string[]> {
      const { document, files } = sampleBuild(ID, options);
      await writeFile(path("metadata"), document);
      await writeFile(path("csvgz"), files.csvgz as Buffer);
      await writeFile(path("mmdb"), files.mmdb as Buffer);
      return ["metadata", "csvgz", "mmdb"].flatMap((name) => [`--${name}`, path(name)]);
    }

    async function publish(...argv: string[]): Promise<PublishedBuild> {
      return terminal.json("builds", "publish", ID, ...argv);
    }

    it("publish --dry-run shows what would happen and stores nothing", async () => {
      const check = await terminal.json("builds", "publish", ID, ...(await writeFiles({ mark: "dry" })), "--dry-run");
      expect(check).toMatchObject({ result: "ready", faults: [], build: { entries: 100 }, current_build: null });
      expect(await terminal.json("builds", "list", ID)).toEqual([]);
    });

    it("publish, list, roll back and withdraw", async () => {
      const first = await publish(...(await writeFiles({ mark: "1" })));
      expect(first.build_id).toBe(first.id);
      expect(first).toMatchObject({
        version_id: ID,
        state: "published",
        current: true,
        unchanged: false,
        removed_build_ids: [],
      });
      const second = await publish(...(await writeFiles({ mark: "2" })), "--keep", "5");
      const list = await terminal.json<ListedBuild[]>("builds", "list", ID);
      expect(list.map(({ id, current }) => [id, current])).toEqual([
        [second.id, true],
        [first.id, false],
      ]);
      for (const build of list) expect(Value.Check(ListedBuild, build)).toBe(true);
      expect(await terminal.json("builds", "rollback", ID)).toMatchObject({ build_id: first.id, current: true });
      expect(await terminal.json("builds", "rollback", ID, "--to", second.id)).toMatchObject({ build_id: second.id });
      expect(await terminal.json("builds", "withdraw", second.id)).toMatchObject({
        id: second.id,
        state: "withdrawn",
        current: false,
        current_build_id: first.id,
      });
      const { out } = await terminal.run("builds", "list", ID);
      expect(out).toMatch(new RegExp(`${second.id} +withdrawn .*\\n${first.id} +current `));
    });

    it("print details as text", async () => {
      const { exitCode, out, err } = await terminal.run("builds", "publish", ID, ...(await writeFiles({ mark: "3" })));
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      expect(out).toMatch(
        /^build +[0-9a-f-]{36}\nversion +vpn_ip_v1\nupdated +2026-11-01\nrows +100\ncsvgz +\d+ bytes, sha256/,
      );
      const again = await terminal.run("builds", "publish", ID, ...(await writeFiles({ mark: "3" })));
      expect({ exitCode: again.exitCode, err: again.err }).toEqual({ exitCode: 0, err: "" });
      expect(again.out).toBe(
        `Unchanged: the files are identical to those of the current build, so nothing was published.\n${out}`,
      );
      expect(await publish(...(await writeFiles({ mark: "3" })))).toMatchObject({ unchanged: true, current: true });
      expect((await terminal.run("builds", "sweep")).out).toBe(
        "staged builds    -\nobjects          0 (0 B)\npartial uploads  0\n",
      );
      expect(await terminal.json("builds", "sweep", "--dry-run", "--hours", "1")).toEqual({
        dry_run: true,
        staged_build_ids: [],
        object_keys: [],
        object_bytes: 0,
        partial_uploads: 0,
      });
    });

    it("print one fault per line and exit with 1", async () => {
      const argv = await writeFiles({ overrides: { id: "other_v1", entries: 7 } });
      const { exitCode, out, err } = await terminal.run("builds", "publish", ID, ...argv);
      expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
      expect(err.split("\n")).toEqual([
        "dbdepot-server builds publish: metadata: id is other_v1, expected vpn_ip_v1",
        "dbdepot-server builds publish: csvgz: has 100 rows, metadata says 7",
        expect.stringContaining("the new build has 7 rows, 93 % fewer than the current one, which has 100 rows"),
        "",
      ]);
      expect(err).not.toContain("--force");
    });

    it("report every file that cannot be read, and stage nothing", async () => {
      const before = await terminal.json("builds", "list", ID);
      const argv = ["--metadata", path("nowhere"), "--csvgz", folder, "--mmdb", path("neither")];
      const { exitCode, err } = await terminal.run("builds", "publish", ID, ...argv);
      expect(exitCode).toBe(1);
      for (const fault of [
        `--metadata: ${path("nowhere")}: no such file or directory`,
        `--csvgz: ${folder}: this is a directory, not a file`,
        `--mmdb: ${path("neither")}: no such file or directory`,
      ]) {
        expect(err).toContain(`${fault}\n`);
      }
      expect(await terminal.json("builds", "list", ID)).toEqual(before);
    });

    it("say that a file gets no patches, and compress it again", async () => {
      const argv = ["builds", "publish", ID, ...(await writeFiles({ rows: 4000 })), "--force"];
      const note = /csvgz: customers will get no patches of this file, .*--recompress/;
      expect((await terminal.run(...argv, "--dry-run")).out).toMatch(note);
      const { out } = await terminal.run(...argv);
      expect(out.split("\n").at(-2)).toMatch(note);
      const again: PublishedBuild = await terminal.json(...argv, "--recompress");
      expect(again.notes).toEqual([]);
      expect(again.files.csvgz?.size_bytes).toBeLessThan((await stat(path("csvgz"))).size / 2);
      expect(await terminal.json("versions", "update", ID, "--recompress", "on")).toMatchObject({ recompress: true });
      expect(await terminal.json(...argv)).toMatchObject({ notes: [], files: again.files });
      const asIs: PublishedBuild = await terminal.json(...argv, "--no-recompress");
      expect(asIs.notes).toHaveLength(1);
      expect(await terminal.json("versions", "update", ID, "--recompress", "off")).toMatchObject({ recompress: false });
      expect((await terminal.run("versions", "update", ID)).exitCode).toBe(2);
    });

    it("export a CSV to files that can be published", async () => {
      await writeFile(path("rows.csv"), 'network,provider\n192.0.2.0/24,"One, and\nthe other"\n2001:db8::/32,Two\n');
      await writeFile(path("columns"), "provider:string:Who runs it\n");
      const exported = await terminal.json<{ files: Record<string, { path: string }>; metadata_path: string }>(
        ...["export", path("rows.csv"), "--id", ID, "--out", path("out"), "--updated", "2026-11-20"],
        ...["--update-freq", "daily", "--columns", path("columns"), "--description", "Addresses"],
      );
      expect(exported).toMatchObject({ id: ID, entries: 2, warnings: [] });
      const document = await readFile(exported.metadata_path, "utf8");
      expect(JSON.parse(document)).toMatchObject({ update_freq: "daily", updated: "2026-11-20", entries: 2 });
      const files = Object.entries(exported.files).flatMap(([format, file]) => [`--${format}`, file.path]);
      const build = await publish("--metadata", exported.metadata_path, ...files, "--force");
      expect(build).toMatchObject({ entries: 2, updated: "2026-11-20" });
      const { out } = await terminal.run("export", path("rows.csv"), "--id", ID, "--out", path("out"));
      expect(out).toContain(`csvgz     ${join(path("out"), `${ID}.csv.gz`)} (`);
    });

    it("export a sample, with its rows and sizes", async () => {
      await writeFile(path("rows.csv"), "network,provider\n192.0.2.0/24,One\n198.51.100.0/24,Two\n");
      const argv = ["export", path("rows.csv"), "--id", ID, "--out", path("out"), "--sample", "1"];
      const { sample } = await terminal.json<{ sample: unknown }>(...argv);
      const csvgz = join(path("out"), `${ID}.sample.csv.gz`);
      const { size } = await stat(csvgz);
      expect(sample).toMatchObject({ entries: 1, files: { csvgz: { path: csvgz, size_bytes: size }, mmdb: {} } });
      const { out } = await terminal.run(...argv);
      expect(out).toContain("sample rows   1\n");
      expect(out).toContain(`sample csvgz  ${csvgz} (${size} B)\n`);
    });

    it("report the faults of a CSV one per line", async () => {
      await writeFile(path("wrong.csv"), "network,provider\n192.0.2.1/24,One\n192.0.2.0/24\nnowhere,Three\n");
      const { exitCode, out, err } = await terminal.run("export", path("wrong.csv"), "--id", ID, "--out", path("out"));
      expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
      expect(err.split("\n")).toEqual([
        expect.stringMatching(/^dbdepot-server export: line 2: /),
        expect.stringMatching(/^dbdepot-server export: line 3: /),
        expect.stringMatching(/^dbdepot-server export: line 4: /),
        "",
      ]);
    });

    it("report invalid export options", async () => {
      const run = (...argv: string[]) => terminal.run("export", path("rows.csv"), "--id", ID, "--out", folder, ...argv);
      expect((await run("--formats", "parquet")).err).toContain("Allowed values are csvgz, mmdb");
      expect((await run("--columns", path("nowhere"))).err).toContain(`--columns: ${path("nowhere")}: no such file`);
      expect((await run("--updated", "yesterday")).err).toContain("updated");
      expect((await terminal.run("export", path("nowhere"), "--id", ID, "--out", folder)).exitCode).toBe(1);
    });
  });
}
