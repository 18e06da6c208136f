import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { HEADER_BYTES } from "../../../patches/src/header.ts";
import { makePatch } from "../../../patches/src/index.ts";
import { enqueue } from "../../../server/src/domain/jobs/jobs.ts";
import { createSigningKey } from "../../../server/src/domain/manifests/signing-keys.ts";
import { type Patch, patchKeyOf } from "../../../server/src/domain/patches/patch.ts";
import { newId } from "../../../server/src/platform/primitives/ids.ts";
import { DbdepotClient } from "../../src/client.ts";
import { serveEndlessly } from "./endless-mirror.ts";
import { type ExportedBuild, makePatches, publishDay } from "./exported-builds.ts";
import { Shell } from "./shell.ts";

const MMDB = "vpn_ip_v1.mmdb";
const CSVGZ = "vpn_ip_v1.csv.gz";
const BOTH = ["--formats", "mmdb,csvgz"];
const digestOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

for (const stage of eitherStage()) {
  describe(`Updates with patches on ${stage.name}`, () => {
    let shell: Shell;
    let first: ExportedBuild;
    let second: ExportedBuild;
    beforeAll(async () => {
      shell = await Shell.open({}, stage);
      await createSigningKey(shell.test.operator.operation());
      first = await publishDay(shell.test, 1);
      await makePatches(shell.test);
    });
    afterAll(() => shell.dispose());

    const onDisk = async () => ({
      csvgz: await readFile(shell.database(CSVGZ)),
      mmdb: await readFile(shell.database(MMDB)),
    });
    /** No part files or patches are left next to the databases. */
    const expectTidy = async (directory = shell.path("databases")) =>
      expect((await readdir(directory)).filter((name) => /part|patch/.test(name))).toEqual([]);

    it("downloads the first mmdb as a compressed copy", async () => {
      const { files } = await shell.json(0, "sync", "vpn_ip_v1", ...BOTH);
      expect(files).toMatchObject([
        { file: MMDB, method: "compressed" },
        { file: CSVGZ, method: "file", received_bytes: first.files.csvgz.length },
      ]);
      expect(files[0].received_bytes).toBeLessThan(first.files.mmdb.length * 0.8);
      expect(await onDisk()).toEqual(first.files);
      await expectTidy();
    });

    it("shows the expected bytes with --dry-run, and then downloads just those", async () => {
      second = await publishDay(shell.test, 2);
      expect((await shell.run("sync", "vpn_ip_v1", ...BOTH, "--dry-run")).out).toContain("KiB, would be downloaded");
      await makePatches(shell.test);
      const attempts = (await shell.customer.history()).length;
      const planned = await shell.json(0, "sync", "vpn_ip_v1", ...BOTH, "--dry-run");
      expect(await onDisk()).toEqual(first.files);
      expect(await shell.customer.history()).toHaveLength(attempts);
      const { out } = await shell.run("sync", "vpn_ip_v1", ...BOTH, "--keep", "1");
      expect(out).toMatch(/^changed {4}vpn_ip_v1\.mmdb: .*, updated with \d\.\d % of the bytes$/m);
      expect(out).toMatch(/^changed {4}vpn_ip_v1\.csv\.gz: .*, updated with \d\.\d % of the bytes$/m);
      expect(await onDisk()).toEqual(second.files);
      expect(await readFile(shell.database("vpn_ip_v1.2026-11-01.mmdb"))).toEqual(first.files.mmdb);
      await expectTidy();
      const history = (await shell.customer.history()).slice(0, 2);
      const bytes = Object.fromEntries(history.map(({ format, bytes, patch }) => [format, patch && bytes]));
      for (const { file, format, method, received_bytes: expected } of planned.files) {
        expect({ file, method }).toEqual({ file, method: "patch" });
        expect(bytes[format]).toBe(expected);
      }
      const table = await shell.run("history", "--limit", "2");
      expect(table.out).toMatch(/^TIME +OUTCOME +DATABASE +FORMAT +SIZE +SAMPLE +PATCH +FROM/);
      expect(table.out.match(/ - +yes +127\.0\.0\.1 /g)).toHaveLength(2);
      const { files } = await shell.status();
      expect(files[MMDB]).toMatchObject({ method: "patch", received_bytes: bytes.mmdb });
    });

    /** Replaces the file on disk by the first build's, so that the next update starts there. */
    async function goBack(): Promise<void> {
      await writeFile(shell.database(MMDB), first.files.mmdb);
      await writeFile(shell.database(CSVGZ), first.files.csvgz);
    }

    it("downloads no patch for which the process may not use enough memory", async () => {
      await goBack();
      const limit = vi.spyOn(process, "constrainedMemory").mockReturnValue(200_000_000 + first.files.mmdb.length - 1);
      onTestFinished(() => limit.mockRestore());
      const download = async () => (await shell.json(0, "sync", "vpn_ip_v1")).files[0];
      expect(await download()).toMatchObject({ file: MMDB, method: "compressed" });
      limit.mockReturnValue(200_000_000 + first.files.mmdb.length);
      await goBack();
      expect(await download()).toMatchObject({ file: MMDB, method: "patch" });
    });

    it("downloads whole files with deltas = never, and after --force", async () => {
      await goBack();
      const { files } = await shell.json(0, "sync", "vpn_ip_v1", ...BOTH, "--deltas", "never");
      expect(files).toMatchObject([
        { method: "file", received_bytes: second.files.mmdb.length },
        { method: "file", received_bytes: second.files.csvgz.length },
      ]);
      await goBack();
      expect((await shell.json(0, "sync", "vpn_ip_v1", "--force")).files).toMatchObject([{ method: "file" }]);
      expect((await onDisk()).mmdb).toEqual(second.files.mmdb);
    });

    it("uses patches through the service with delivery=stream, and in download and the library", async () => {
      await goBack();
      const streamed = await shell.json(0, "sync", "vpn_ip_v1", "--delivery", "stream");
      expect(streamed.files).toMatchObject([{ method: "patch" }]);
      const to = ["--format", "csvgz", "--to", shell.database(CSVGZ)];
      const downloaded = await shell.json(0, "download", "vpn_ip_v1", ...to);
      expect(downloaded).toMatchObject({ method: "patch", size_bytes: second.files.csvgz.length, patch_failure: null });
      expect(await onDisk()).toEqual(second.files);
      await goBack();
      const client = new DbdepotClient({ baseUrl: shell.customer.apiUrl, apiKey: shell.customer.key });
      const path = shell.database(MMDB);
      expect(await client.download("vpn_ip_v1", "mmdb", { to: path })).toMatchObject({ method: "patch" });
      expect((await onDisk()).mmdb).toEqual(second.files.mmdb);
      await writeFile(path, first.files.mmdb);
      expect(await client.download("vpn_ip_v1", "mmdb", { to: path, deltas: "never" })).toMatchObject({
        method: "file",
      });
    });

    it("downloads the mmdb compressed if there is no patch from the file on disk", async () => {
      await goBack();
      const path = shell.database(MMDB);
      await writeFile(path, "another file");
      await writeFile(shell.database(CSVGZ), "another file");
      const planned = await shell.json(0, "sync", "vpn_ip_v1", ...BOTH, "--dry-run");
      const { files } = await shell.json(0, "sync", "vpn_ip_v1", ...BOTH);
      expect(files).toMatchObject([{ method: "compressed" }, { method: "file" }]);
      const received = (all: { received_bytes: number }[]) => all.map(({ received_bytes: bytes }) => bytes);
      expect(received(planned.files)).toEqual(received(files));
      expect(await onDisk()).toEqual(second.files);
    });

    it("downloads the compressed copy if the base changes while the patch is fetched", async () => {
      await goBack();
      const path = shell.database(MMDB);
      const client = new DbdepotClient({ baseUrl: shell.customer.apiUrl, apiKey: shell.customer.key });
      const failures: unknown[] = [];
      let isChanged = false;
      const changeBase = async () => {
        isChanged = true;
        await writeFile(path, "another file");
      };
      const downloaded = await client.download("vpn_ip_v1", "mmdb", {
        to: path,
        onProgress: () => void (isChanged || changeBase()),
        onPatchFailure: (error) => failures.push(error),
      });
      expect(downloaded.method).toBe("compressed");
      expect(failures).toHaveLength(1);
      expect((await onDisk()).mmdb).toEqual(second.files.mmdb);
      await expectTidy();
    });

    it("carries patches in a mirror, which uses them itself and serves them to its clients", async () => {
      const mirror = shell.path("mirror");
      expect((await shell.run("mirror", mirror)).exitCode).toBe(0);
      const third = await publishDay(shell.test, 3);
      await makePatches(shell.test);
      const attempts = (await shell.customer.history()).length;
      expect((await shell.run("mirror", mirror)).exitCode).toBe(0);
      const fetched = (await shell.customer.history()).slice(0, -attempts);
      // It updated its own two files, and copied the patches from both earlier builds and the compressed copy.
      expect(fetched.map(({ patch }) => patch)).toEqual(Array.from({ length: 7 }, () => true));
      const stored = await readdir(join(mirror, "vpn_ip_v1", third.build.id));
      expect(stored.filter((name) => name.endsWith(".patch"))).toHaveLength(5);
      expect(await readFile(join(mirror, "vpn_ip_v1", third.build.id, MMDB))).toEqual(third.files.mmdb);
      const { key_id: _, ...keys } = JSON.parse(await readFile(join(mirror, "dbdepot-keys.json"), "utf8"));
      const trust = ["--trust", keys.keys[0].public_key];
      const synced = await shell.json(0, "sync", "vpn_ip_v1", ...BOTH, "--from", mirror, ...trust);
      expect(synced.files).toMatchObject([{ method: "patch" }, { method: "patch" }]);
      expect(await onDisk()).toEqual(third.files);
      expect((await shell.customer.history()).length).toBe(attempts + 7);

      // An endless patch is cut off at its announced size.
      await goBack();
      const { sent, server } = await serveEndlessly(mirror, (path) => path.endsWith(".patch"));
      const endless = await shell.json(0, "sync", "vpn_ip_v1", "--from", sent.url, ...trust);
      server.close().closeAllConnections();
      expect(endless.files).toMatchObject([
        { method: "file", patch_failure: expect.stringContaining("larger than announced") },
      ]);
      expect(sent.bytes).toBeLessThan(50_000_000);
      expect((await onDisk()).mmdb).toEqual(third.files.mmdb);
      await expectTidy();
      second = third;
    });

    describe("from a service whose patches are wrong", () => {
      let offered: Patch;
      let real: Buffer;
      beforeAll(async () => {
        const { store, objects } = shell.test.service.services;
        const patches = await store.patches.ofBuilds([second.build.id]);
        offered = patches.find((patch) => patch.baseBuildId === first.build.id && patch.format === "mmdb") as Patch;
        real = Buffer.concat(await Array.fromAsync(await objects.read(offered.file?.objectKey ?? "")));
      });

      /** Replaces the patch from the first build. `claims` is what the service says about it. */
      async function offer(bytes: Buffer, claims: { sizeBytes?: number; sha256?: string } = {}): Promise<void> {
        const { store, objects } = shell.test.service.services;
        const id = newId(shell.test.clock.now());
        const objectKey = patchKeyOf({ ...offered, id });
        await objects.put(objectKey, Readable.from([bytes]));
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        await store.change(async (tables) => {
          const all = await tables.patches.ofBuilds([offered.buildId]);
          const same = all.filter((patch) => patch.format === "mmdb" && patch.baseSha256 === offered.baseSha256);
          await tables.patches.remove(same.map((patch) => patch.id));
          await tables.patches.insert({
            ...offered,
            id,
            file: { objectKey, sizeBytes: bytes.length, sha256, ...claims },
          });
          // Registers read all patches of a version again if its current build changes.
          await tables.versions.setCurrentBuild("vpn_ip_v1", first.build.id);
        });
        await shell.test.operator.settle();
        await store.change((tables) => tables.versions.setCurrentBuild("vpn_ip_v1", second.build.id));
        await shell.test.operator.settle();
      }

      /** A valid patch from the first build that leads to the first build: with it, a customer would never get a newer one. */
      async function patchBack(): Promise<Buffer> {
        const [base, patch] = [shell.path("base"), shell.path("back.patch")] as const;
        await writeFile(base, first.files.mmdb);
        await makePatch("mmdb", base, base, patch, { maxPatchBytes: 10 ** 6 });
        return readFile(patch);
      }

      it("downloads the compressed copy in the same run, whatever is wrong, and says why", async () => {
        const swapped = Buffer.from(real);
        swapped.fill(0, 60, 90);
        const other = await patchBack();
        const disguised = Buffer.concat([real.subarray(0, HEADER_BYTES), other.subarray(HEADER_BYTES)]);
        const faults: [string, Buffer, { sizeBytes?: number; sha256?: string }, RegExp][] = [
          ["a valid patch to another file", other, {}, /leads to another file/],
          ["a patch to another file that claims to lead to this one", disguised, {}, /patch|file/],
          ["garbage", Buffer.from("not a patch at all"), {}, /patch/],
          ["a damaged patch", swapped, {}, /patch|file/],
          ["a truncated patch", real.subarray(0, real.length / 2), {}, /patch/],
          ["another digest", real, { sha256: "0".repeat(64) }, /announced digest/],
          [
            "more bytes than announced",
            Buffer.concat([real, real]),
            { sizeBytes: real.length },
            /larger than announced/,
          ],
          ["fewer bytes than announced", real, { sizeBytes: real.length + 1 }, /smaller than announced/],
          ["a size beyond the file's", real, { sizeBytes: 10 ** 12 }, /not smaller than the file/],
        ];
        for (const [fault, bytes, claims, message] of faults) {
          await offer(bytes, claims);
          await goBack();
          // Without it, no failure before this one counts.
          await rm(shell.database(".dbdepot-status.json"));
          const { files } = await shell.json(0, "sync", "vpn_ip_v1");
          expect({ fault, ...files[0] }).toMatchObject({
            fault,
            result: "changed",
            method: "compressed",
            patch_failure: expect.stringMatching(message),
          });
          expect((await onDisk()).mmdb).toEqual(second.files.mmdb);
          await expectTidy();
        }
        expect((await shell.status()).files[MMDB].patch_failure).toMatch(/not smaller/);
      });

      it("does not try a patch after two failures in a row, until a whole file was downloaded without one", async () => {
        await offer(Buffer.from("not a patch"));
        await rm(shell.database(".dbdepot-status.json"));
        const sync = async () => {
          await goBack();
          const before = (await shell.customer.history("?limit=200")).length;
          const { exitCode, err } = await shell.run("sync", "vpn_ip_v1", "--verbose");
          const after = (await shell.customer.history("?limit=200")).slice(0, -before || undefined);
          expect((await onDisk()).mmdb).toEqual(exitCode === 0 ? second.files.mmdb : first.files.mmdb);
          return { exitCode, err, patches: after.filter(({ patch }) => patch).length };
        };
        // The compressed copy counts as a patch in the history.
        expect(await sync()).toMatchObject({ exitCode: 0, patches: 2 });
        expect((await shell.status()).patch_failures[MMDB]).toMatchObject({ count: 1 });
        // It counts as well if the whole file cannot be downloaded either.
        const { objects, store } = shell.test.service.services;
        const objectKey = second.build.files.mmdb?.objectKey ?? "";
        await objects.remove(objectKey);
        const compressed = (await store.patches.ofBuilds([second.build.id])).find(
          (patch) => patch.baseBuildId === null,
        );
        await objects.remove(compressed?.file?.objectKey ?? "");
        const failed = await sync();
        expect([failed.exitCode === 0, failed.patches]).toEqual([false, 2]);
        expect((await shell.status()).patch_failures[MMDB]).toMatchObject({ count: 2 });
        await objects.put(objectKey, Readable.from([second.files.mmdb]));
        const third = await sync();
        expect(third).toMatchObject({ exitCode: 0, patches: 0 });
        expect(third.err).toMatch(/not trying a patch, because 2 failed since/);
        expect((await shell.status()).patch_failures).toEqual({});
        await offer(real);
        expect(await sync()).toMatchObject({ exitCode: 0, patches: 1 });
      });
    });

    describe("while the service makes the patches", () => {
      let making: Shell;
      let day = 1;
      beforeAll(async () => {
        making = await Shell.open({ DBDEPOT_PATCH_BASES: "2" }, stage);
        await publishDay(making.test, day);
        await making.json(0, "sync", "vpn_ip_v1", ...BOTH);
      });
      afterAll(() => making.dispose());

      function publishNext(): Promise<ExportedBuild> {
        day += 1;
        return publishDay(making.test, day);
      }

      /** Patches are made one at a time, so a process that died while it made another one holds them up. */
      async function holdUp(): Promise<() => Promise<void>> {
        const { store } = making.test.service.services;
        const now = making.test.clock.now();
        await expect.poll(() => store.jobs.find("make_patches", "vpn_ip_v1"), { timeout: 30_000 }).toBeUndefined();
        await enqueue(store, "make_patches", { versionId: "bogon_ip_v1", buildId: newId(now) }, now);
        const claim = { by: "a process that died", until: new Date(now.getTime() + 1_000_000) };
        const job = await store.jobs.claim("make_patches", claim, now);
        expect(job?.subject).toBe("bogon_ip_v1");
        return () => store.jobs.finish(job?.id ?? "", claim.by);
      }

      /** Starts a sync that waits for its patches. */
      async function waitingSync() {
        const front = await making.inFront();
        const result = making.runWith({ DBDEPOT_CLIENT_URL: front.url }, "sync", "vpn_ip_v1", ...BOTH, "--verbose");
        await expect
          .poll(() => front.seen.filter((request) => request === "checksum 200").length, { timeout: 30_000 })
          .toBeGreaterThan(1);
        return { result };
      }

      it("waits for them, and updates both files with patches", async () => {
        const resume = await holdUp();
        const { files } = await publishNext();
        const { result } = await waitingSync();
        await resume();
        const { err, out } = await result;
        expect(err).toMatch(/mmdb: waiting for the patch from the file on disk/);
        expect(err).toMatch(/csv\.gz: waiting for the patch from the file on disk/);
        expect(out.match(/updated with/g)).toHaveLength(2);
        expect(await readFile(making.database(MMDB))).toEqual(files.mmdb);
      });

      it("downloads whole files if they are not made in time, because a process has died", async () => {
        const resume = await holdUp();
        const { files } = await publishNext();
        const { result } = await waitingSync();
        making.test.clock.advance("120 seconds");
        expect((await result).exitCode).toBe(0);
        const status = await making.status();
        expect(status.files[MMDB]).toMatchObject({ method: "file", sha256: digestOf(files.mmdb) });
        expect(status.files[CSVGZ]).toMatchObject({ method: "file", sha256: digestOf(files.csvgz) });
        await resume();
      });

      it("lets a watcher wait that learns of the build at once", async () => {
        await expect
          .poll(() => making.test.service.services.store.jobs.find("make_patches", "vpn_ip_v1"), { timeout: 30_000 })
          .toBeUndefined();
        const child = making.spawn(["sync", "vpn_ip_v1", ...BOTH, "--watch", "--verbose"]);
        let printed = "";
        child.stderr.on("data", (chunk) => {
          printed += chunk;
        });
        await expect.poll(() => printed, { timeout: 30_000 }).toContain("following events");
        const { files } = await publishNext();
        await expect
          .poll(async () => (await making.status()).files, { timeout: 30_000 })
          .toMatchObject({
            [MMDB]: { method: "patch", sha256: digestOf(files.mmdb) },
            [CSVGZ]: { method: "patch", sha256: digestOf(files.csvgz) },
          });
        child.kill("SIGTERM");
        await making.ended(child);
      });
    });
  });
}
