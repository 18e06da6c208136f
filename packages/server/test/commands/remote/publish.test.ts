import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileName } from "@dbdepot/contract/shared/formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { createKey } from "../../../src/domain/keys/keys.ts";
import { sampleBuild } from "../../domain/builds/sample-build.ts";
import { exported } from "../../routes/operator/exported.ts";
import { finished, startChild } from "../child.ts";
import { runCommand } from "../terminal.ts";

/** Publishing to another server needs no database here, so this one cannot be reached. */
const SETTINGS = { DBDEPOT_DATABASE_URL: "postgres://127.0.0.1:1/none" };

for (const stage of eitherStage()) {
  describe(`builds publish --server on ${stage.name}`, () => {
    let test: TestService;
    let folder: string;
    let key: string;
    let acme: Customer;

    beforeAll(async () => {
      test = await testService(stage);
      folder = await mkdtemp(join(tmpdir(), "dbdepot-remote-"));
      await test.operator.addDatabase("vpn_ip_v1");
      acme = await test.operator.customer("Acme");
      await test.operator.grant("Acme", "vpn_ip");
      key = await newKey(["builds.publish"]);
    });
    afterAll(async () => {
      await test.dispose();
      await rm(folder, { recursive: true });
    });

    async function newKey(scopes: string[]): Promise<string> {
      const request = { organizationId: null, name: "exporter", scopes, cidrs: [], expires: null };
      return (await createKey(test.operator.operation(), request)).plain.reveal();
    }

    /** Writes the files of a build and returns the options that name them. */
    async function writeFiles(terms: { rows?: number; updated?: string }) {
      const { document, files } = await exported("vpn_ip_v1", terms);
      const paths = ["--metadata", join(folder, "metadata.json")];
      await writeFile(join(folder, "metadata.json"), document);
      for (const [format, bytes] of Object.entries(files)) {
        const path = join(folder, fileName("vpn_ip_v1", format as "mmdb"));
        await writeFile(path, bytes);
        paths.push(`--${format}`, path);
      }
      return { document, files, paths };
    }

    async function publish(terms: { rows?: number; updated?: string }, ...more: string[]) {
      const { document, files, paths } = await writeFiles(terms);
      const server = more.includes("--server") ? [] : ["--server", test.service.apiUrl];
      const usedKey = more.includes("--key") ? [] : ["--key", key];
      const argv = ["builds", "publish", "vpn_ip_v1", ...paths, ...server, ...usedKey, ...more];
      return { ...(await runCommand(argv, SETTINGS)), document, files };
    }

    it("makes the build current on the server, byte for byte", async () => {
      const { exitCode, out, err, document, files } = await publish({ rows: 500 }, "--json");
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      const { build_id } = JSON.parse(out);
      const metadata = await acme.metadata("vpn_ip_v1");
      expect([metadata.text, metadata.headers.get("x-build-id")]).toEqual([document.toString(), build_id]);
      for (const format of ["csvgz", "mmdb"] as const) {
        const link = (await acme.download("vpn_ip_v1", format)).headers.get("location") ?? "";
        expect(Buffer.from(await (await fetch(link)).arrayBuffer()).equals(files[format] ?? Buffer.alloc(0))).toBe(
          true,
        );
      }
    });

    it("publishes samples along with the build", async () => {
      await test.operator.addDatabase("sampled_v1");
      const { document, files } = sampleBuild("sampled_v1", { sampleRows: 10 });
      const argv = ["builds", "publish", "sampled_v1", "--server", test.service.apiUrl, "--key", key];
      for (const [kind, bytes] of Object.entries({ metadata: document, ...files })) {
        await writeFile(join(folder, kind), bytes);
        argv.push(`--${kind.replace("_", "-")}`, join(folder, kind));
      }
      const { exitCode, out, err } = await runCommand([...argv, "--json"], SETTINGS);
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      const { build_id, files: stored } = JSON.parse(out);
      expect(Object.keys(stored).sort()).toEqual(["csvgz", "mmdb", "sample_csvgz", "sample_mmdb"]);
      const sample = await acme.download("sampled_v1", "mmdb", "&sample=true&delivery=stream");
      expect([sample.status, sample.headers.get("x-build-id")]).toEqual([200, build_id]);
      expect(sample.headers.get("content-length")).toBe(String(files.sample_mmdb?.length));
    });

    it("prints a note if the files are identical to the current build", async () => {
      const { exitCode, out } = await publish({ rows: 500 });
      expect([exitCode, out]).toEqual([0, expect.stringMatching(/^Unchanged: /)]);
      expect(JSON.parse((await publish({ rows: 500 }, "--json")).out)).toMatchObject({ unchanged: true });
    });

    it("checks the files with --dry-run, and leaves nothing on the server", async () => {
      const { store } = test.service.services;
      const before = await store.builds.list("vpn_ip_v1");
      const larger = await publish({ rows: 501 }, "--dry-run");
      expect([larger.exitCode, larger.err]).toEqual([0, ""]);
      expect(larger.out).toContain("501 (current: 500)");
      const small = await publish({ rows: 10 }, "--dry-run", "--json");
      expect(small.exitCode).toBe(1);
      expect(JSON.parse(small.out)).toMatchObject({ result: "suspicious", current_build: { entries: 500 } });
      expect((await publish({ rows: 10 }, "--dry-run", "--force")).exitCode).toBe(0);
      expect(await store.builds.list("vpn_ip_v1")).toEqual(before);
    });

    it("has a csv.gz compressed again by the server", async () => {
      const { document, files } = sampleBuild("vpn_ip_v1", { rows: 500 });
      const paths = { metadata: document, csvgz: files.csvgz, mmdb: files.mmdb };
      const argv = [
        "builds",
        "publish",
        "vpn_ip_v1",
        "--server",
        test.service.apiUrl,
        "--key",
        key,
        "--force",
        "--json",
      ];
      for (const [name, bytes] of Object.entries(paths)) {
        await writeFile(join(folder, name), bytes as Buffer);
        argv.push(`--${name}`, join(folder, name));
      }
      const sizeOf = async (...more: string[]) =>
        JSON.parse((await runCommand([...argv, ...more], SETTINGS)).out).files.csvgz.size_bytes;
      expect(await sizeOf()).toBe(files.csvgz?.length);
      const size = await sizeOf("--recompress");
      expect(size).toBeLessThan((files.csvgz?.length ?? 0) / 2);
      expect((await acme.metadata("vpn_ip_v1")).json.size.csvgz).toBe(size);
    });

    it("reports refusals of the server, and --force overrides warnings", async () => {
      const before = (await acme.metadata("vpn_ip_v1")).text;
      const small = await publish({ rows: 10 });
      expect(small.exitCode).toBe(1);
      expect(small.err).toContain("--force");
      const foreign = await publish({ rows: 500 }, "--key", await newKey(["operator.read"]));
      expect([foreign.exitCode, foreign.err]).toEqual([1, expect.stringContaining("builds.publish")]);
      const nowhere = await publish({ rows: 500 }, "--server", "http://127.0.0.1:1");
      expect([nowhere.exitCode, nowhere.err]).toEqual([1, expect.stringContaining("cannot be reached")]);
      expect((await publish({ rows: 500 }, "--key", "dbd_mistyped")).exitCode).toBe(2);
      expect((await publish({ rows: 500 }, "--server", "not an address")).exitCode).toBe(2);
      expect((await acme.metadata("vpn_ip_v1")).text).toBe(before);
      expect((await publish({ rows: 10 }, "--force")).exitCode).toBe(0);
    });

    it("resumes after the connection breaks, and delivers the right bytes", async () => {
      const cuts = { left: 2 };
      const proxy = await cuttingProxy(new URL(test.service.apiUrl), cuts, 300_000);
      try {
        const { port } = proxy.address() as AddressInfo;
        const sent = await publish(
          { rows: 20_000, updated: "2026-11-02" },
          "--force",
          "--server",
          `http://127.0.0.1:${port}`,
        );
        expect([sent.exitCode, cuts.left]).toEqual([0, 0]);
        const link = (await acme.download("vpn_ip_v1", "mmdb")).headers.get("location") ?? "";
        expect(Buffer.from(await (await fetch(link)).arrayBuffer()).equals(sent.files.mmdb ?? Buffer.alloc(0))).toBe(
          true,
        );
      } finally {
        proxy.close();
      }
    });

    it("discards the build on the server when it is interrupted", async () => {
      const { store, objects } = test.service.services;
      const before = [await store.builds.list("vpn_ip_v1"), await Array.fromAsync(objects.list(""))];
      const { paths } = await writeFiles({ rows: 20_000, updated: "2026-11-03" });
      const proxy = await stallingProxy(new URL(test.service.apiUrl), 300_000);
      try {
        const server = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
        const argv = ["builds", "publish", "vpn_ip_v1", ...paths, "--server", server, "--key", key];
        const child = startChild(argv, SETTINGS);
        proxy.once("stalled", () => child.kill("SIGINT"));
        expect(await finished(child)).toEqual({
          exitCode: 130,
          out: "",
          err: "dbdepot-server builds publish: interrupted: nothing was published\n",
        });
        expect([await store.builds.list("vpn_ip_v1"), await Array.fromAsync(objects.list(""))]).toEqual(before);
      } finally {
        proxy.close();
      }
    });
  });
}

/** Forwards the first bytes of each connection, then emits "stalled" and forwards no more. */
async function stallingProxy(target: URL, afterBytes: number): Promise<Server> {
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    let passed = 0;
    client.on("data", (chunk) => {
      passed += chunk.length;
      if (passed <= afterBytes) server.write(chunk);
      else proxy.emit("stalled");
    });
    server.pipe(client);
    for (const socket of [client, server]) {
      socket.on("error", () => {});
      socket.on("close", () => (socket === client ? server : client).destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return proxy;
}

/** Forwards connections, and breaks the first ones that send more than `afterBytes`. */
async function cuttingProxy(target: URL, cuts: { left: number }, afterBytes: number): Promise<Server> {
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    let passed = 0;
    client.on("data", (chunk) => {
      passed += chunk.length;
      if (passed > afterBytes && cuts.left > 0) {
        cuts.left -= 1;
        client.destroy();
        server.destroy();
      } else server.write(chunk);
    });
    server.pipe(client);
    for (const socket of [client, server]) {
      socket.on("error", () => {});
      socket.on("close", () => (socket === client ? server : client).destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return proxy;
}
