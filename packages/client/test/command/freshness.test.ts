import { spawn } from "node:child_process";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parsePublicKey } from "@dbdepot/formats/minisign";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { programEnvironment } from "../../../../rigs/harness/program-environment.ts";
import { importMirror } from "../../../server/src/domain/builds/import.ts";
import { endorseFreshnessKey, issueFreshness } from "../../../server/src/domain/manifests/freshness.ts";
import { createFreshnessKey } from "../../../server/src/domain/manifests/freshness-keys.ts";
import { PrivateKey } from "../../../server/src/domain/manifests/signing-key.ts";
import { createSigningKey, rotateSigningKey } from "../../../server/src/domain/manifests/signing-keys.ts";
import { Shell } from "./shell.ts";

const ID = "vpn_ip_v1";
const FILE = "vpn_ip_v1.mmdb";
const UNTRUSTED = 5;
const MAIN = join(import.meta.dirname, "../../src/command/main.ts");

describe("statements of freshness", () => {
  let shell: Shell;
  const servers: Server[] = [];
  beforeEach(async () => {
    shell = await Shell.open();
    await createSigningKey(shell.test.operator.operation());
    await shell.publish(ID, { mark: "one" });
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
    await shell.dispose();
  });

  const sync = (...options: string[]) => shell.run("sync", ID, ...options);
  const trust = async () => JSON.parse(await readFile(shell.database(".dbdepot-trust.json"), "utf8"));
  const site = (...names: string[]) => shell.path("mirror", ...names);
  const mirror = async () => expect(await shell.run("mirror", site())).toMatchObject({ exitCode: 0 });
  const from = { DBDEPOT_CLIENT_URL: "", DBDEPOT_CLIENT_KEY: "", DBDEPOT_CLIENT_FROM: "" };
  const syncFrom = (source: string, ...options: string[]) =>
    shell.runWith({ ...from, DBDEPOT_CLIENT_FROM: source }, "sync", ID, ...options);

  /** Creates the freshness key, or replaces it, with statements that were issued some days ago. */
  async function confirm(daysAgo = 0) {
    const operation = shell.test.operator.operation();
    const now = new Date(operation.now.getTime() - daysAgo * 86_400_000);
    const { key } = await createFreshnessKey({ ...operation, now }, { validDays: 365, replace: true });
    await shell.test.operator.settle();
    return key;
  }

  /** The command must fail with the code for distrust and leave the file alone. */
  async function expectRefused(message: RegExp, run = () => sync()) {
    const before = await readFile(shell.database(FILE));
    const { exitCode, out } = await run();
    expect(out.replace(/\s+/g, " ")).toMatch(message);
    expect(exitCode).toBe(UNTRUSTED);
    expect(await readFile(shell.database(FILE))).toEqual(before);
  }

  /** A proxy that answers some requests with what it has seen before. */
  async function replaying(isReplayed: (path: string) => boolean) {
    const seen = new Map<string, { status: number; type: string; body: Buffer; etag: string; build: string }>();
    const state = { isOn: false };
    const server = createServer(async ({ url = "", headers }, response) => {
      const known = seen.get(url);
      const sent = { authorization: headers.authorization ?? "", "if-none-match": headers["if-none-match"] ?? "" };
      if (state.isOn && known && isReplayed(url)) {
        response.writeHead(known.status, {
          "content-type": known.type,
          ...(known.etag && { etag: known.etag }),
          ...(known.build && { "x-build-id": known.build }),
        });
        response.end(known.body);
        return;
      }
      const reply = await fetch(shell.customer.apiUrl + url, { headers: sent, redirect: "manual" });
      const body = Buffer.from(await reply.arrayBuffer());
      const header = (name: string) => reply.headers.get(name) ?? "";
      const type = header("content-type");
      if (reply.status === 200)
        seen.set(url, { status: 200, type, body, etag: header("etag"), build: header("x-build-id") });
      const names = ["content-type", "etag", "x-build-id", "location", "repr-digest"].filter((name) => header(name));
      response.writeHead(reply.status, Object.fromEntries(names.map((name) => [name, header(name)])));
      response.end(body);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { state, run: () => shell.runWith({ DBDEPOT_CLIENT_URL: url }, "sync", ID) };
  }

  it("are recorded, shown by verify and health, and required from then on", async () => {
    await sync();
    expect((await trust()).databases[ID]).not.toHaveProperty("freshness");
    await confirm();
    const { files } = await shell.json(0, "sync", ID);
    expect(files).toMatchObject([{ result: "unchanged", current_as_of: expect.any(String) }]);
    const [{ current_as_of: issued, valid_until: until }] = files;
    expect((await trust()).databases[ID].freshness).toEqual({ sequence: 1, issued, valid_until: until });
    expect((await shell.json(0, "verify", ID)).files).toMatchObject([{ ok: true, current_as_of: issued }]);
    expect((await shell.json(0, "health", ID)).files).toMatchObject([{ current_as_of: issued, valid_until: until }]);
    await shell.publish(ID, { mark: "two" });
    expect((await sync()).exitCode).toBe(0);
    expect((await trust()).databases[ID].freshness.sequence).toBe(2);
    // A proxy that hides the statement.
    const proxy = await replaying(() => false);
    servers[0]?.removeAllListeners("request").on("request", async ({ url = "", headers }, response) => {
      if (url.includes("/freshness")) {
        response.writeHead(404).end('{"rc":"NOT_SIGNED"}');
        return;
      }
      const sent = { authorization: headers.authorization ?? "" };
      const reply = await fetch(shell.customer.apiUrl + url, { headers: sent, redirect: "manual" });
      response.writeHead(reply.status, { "x-build-id": reply.headers.get("x-build-id") ?? "" });
      response.end(Buffer.from(await reply.arrayBuffer()));
    });
    await expectRefused(/sends no statement of freshness any more; nothing is known since \d{4}-.* ago\)/, proxy.run);
    const warned = await shell.runWith({ DBDEPOT_CLIENT_URL: shell.customer.apiUrl }, "sync", ID);
    expect(warned.exitCode).toBe(0);
  });

  it("that have ended are refused, unless on_stale is warn", async () => {
    await sync();
    const before = await trust();
    await confirm(2);
    await expectRefused(/may be out of date: .* ended on .* this machine's clock agrees with the server's/);
    expect((await trust()).databases).toEqual(before.databases);
    await shell.publish(ID, { mark: "two" });
    await shell.test.service.services.store.change(async (tables) => {
      const [entry] = await tables.freshness.due({ keyId: "", now: new Date(), limit: 1 });
      const key = (await tables.freshnessKeys.list()).at(-1);
      const operation = shell.test.operator.operation();
      const privateKey = key && (await operation.rules?.freshness?.privateKeys.read(key.keyId));
      if (!entry || !key || !privateKey) throw new Error("nothing to confirm");
      const issued = new Date(Date.now() - 2 * 86_400_000);
      await tables.freshness.put(issueFreshness(privateKey, key, entry, issued, 86_400_000));
    });
    await shell.test.operator.settle();
    await expectRefused(/may be out of date/);
    await expectRefused(/may be out of date/, () => shell.run("verify", ID));
    const warned = await sync("--on-stale", "warn");
    expect(warned).toMatchObject({ exitCode: 0, out: expect.stringContaining("1 changed") });
    expect(warned.err).toContain("may be out of date");
  });

  it("that are older than max_age are refused", async () => {
    await sync();
    const operation = shell.test.operator.operation();
    const now = new Date(Date.now() - 7_200_000);
    await createFreshnessKey({ ...operation, now }, { validDays: 365 });
    await shell.test.operator.settle();
    await expectRefused(/2 h 0 min old, more than max_age allows/, () => sync("--max-age", "1h"));
    expect((await sync("--max-age", "3h")).exitCode).toBe(0);
    expect((await shell.run("health", ID, "--max-age", "3h")).exitCode).toBe(0);
    expect((await shell.run("health", ID, "--max-age", "1h")).exitCode).toBe(1);
  });

  it("from the future blame the clock of this machine", async () => {
    await sync();
    await confirm(-1);
    await expectRefused(/is from .*, 2[34] h \d+ min in the future/);
  });

  it("let a customer notice a proxy that replays everything, or only the metadata", async () => {
    await confirm();
    for (const isReplayed of [
      (path: string) => path.includes("manifest") || path.includes("metadata"),
      (path: string) => path.includes("freshness"),
    ]) {
      const proxy = await replaying(isReplayed);
      await proxy.run();
      proxy.state.isOn = true;
      expect((await proxy.run()).exitCode).toBe(0);
      await shell.publish(ID, { mark: String(Math.random()) });
      await expectRefused(/statement of freshness is about manifest \d, not \d/, proxy.run);
    }
  });

  it("that a mirror carries are verified like those of the service, also with another build's", async () => {
    await confirm();
    await mirror();
    const lastWeek = site("..", "last-week");
    await cp(site(), lastWeek, { recursive: true });
    expect((await syncFrom(site())).exitCode).toBe(0);
    const issued = (await trust()).databases[ID].freshness.issued;
    const health = await shell.runWith({ ...from, DBDEPOT_CLIENT_FROM: site() }, "health", ID, "--json");
    expect(JSON.parse(health.out).files).toMatchObject([{ ok: true, current_as_of: issued }]);
    const { freshness } = JSON.parse(await readFile(site(ID, "signed.json"), "utf8"));
    await shell.publish(ID, { mark: "two" });
    await mirror();
    expect((await syncFrom(site())).exitCode).toBe(0);
    // The mirror of last week, then the new manifest with its statement.
    await expectRefused(/was rolled back/, () => syncFrom(lastWeek));
    const signed = JSON.parse(await readFile(site(ID, "signed.json"), "utf8"));
    await writeFile(site(ID, "signed.json"), JSON.stringify({ ...signed, freshness }));
    await expectRefused(/is about manifest 1, not 2; nothing is known since/, () => syncFrom(site()));
    const { manifest, signature } = signed;
    await writeFile(site(ID, "signed.json"), JSON.stringify({ manifest, signature }));
    await expectRefused(/sends no statement of freshness any more/, () => syncFrom(site()));
  });

  it("cannot be forged, and a stolen key can sign nothing else", async () => {
    const { keyId } = await confirm();
    await mirror();
    await syncFrom(site());
    const { services } = shell.test.service;
    const stolen = await services.rules.freshness.privateKeys.read(keyId);
    const path = site(ID, "signed.json");
    const genuine = await readFile(path, "utf8");
    const { manifest, signature, freshness } = JSON.parse(genuine);
    const forged = manifest.replace(/"created": "[^"]*"/, '"created": "2099-01-01T00:00:00.000Z"');
    // As a manifest, with and without the stolen key among the published ones.
    const keysPath = site("dbdepot-keys.json");
    const keys = JSON.parse(await readFile(keysPath, "utf8"));
    const listed = { key_id: keyId, public_key: stolen.publicKey, created: "", expires: null };
    for (const endorsement of [undefined, freshness.endorsement]) {
      const more = endorsement ? [{ ...listed, endorsement }] : [];
      await writeFile(keysPath, JSON.stringify({ ...keys, keys: [...keys.keys, ...more] }));
      const text = { manifest: forged, signature: stolen.sign(forged, `dbdepot manifest ${ID} 1`), freshness };
      await writeFile(path, JSON.stringify(text));
      await expectRefused(/is signed with key \w+, but \w+ is trusted here/, () => syncFrom(site(), "--force"));
    }
    await writeFile(keysPath, JSON.stringify(keys));
    // To endorse a key for statements, and a statement presented as a manifest, and a manifest as a statement.
    const other = PrivateKey.generate();
    const expires = new Date(Date.now() + 86_400_000);
    const entry = { versionId: ID, sequence: 1, body: manifest };
    const endorsed = { keyId: other.keyId, publicKey: other.publicKey, expires };
    const statement = issueFreshness(other, endorsed, entry, new Date(), 3_600_000);
    const endorsement = endorseFreshnessKey(stolen, endorsed, { now: new Date(), revoked: [] });
    for (const each of [
      { statement: statement.body, signature: statement.signature, endorsement },
      { statement: manifest, signature, endorsement: freshness.endorsement },
      { ...freshness, statement: freshness.statement.replace('"sequence": 1', '"sequence": 2') },
      { ...freshness, signature: stolen.sign(freshness.statement, `dbdepot manifest ${ID} 1`) },
    ]) {
      await writeFile(path, JSON.stringify({ manifest, signature, freshness: each }));
      await expectRefused(/is not signed by a trusted key/, () => syncFrom(site()));
    }
    const asManifest = { manifest: freshness.statement, signature: freshness.signature, freshness };
    await writeFile(path, JSON.stringify(asManifest));
    expect((await syncFrom(site(), "--force")).exitCode).not.toBe(0);
    await writeFile(path, genuine);
    expect((await syncFrom(site())).exitCode).toBe(0);
  });

  it("of a key that was revoked are refused once the new endorsement has been seen", async () => {
    const { keyId } = await confirm();
    await mirror();
    await syncFrom(site());
    const stolen = JSON.parse(await readFile(site(ID, "signed.json"), "utf8")).freshness;
    await confirm();
    expect((await sync()).exitCode).toBe(0);
    expect((await trust()).revoked_freshness_keys).toEqual([keyId]);
    const signed = JSON.parse(await readFile(site(ID, "signed.json"), "utf8"));
    await writeFile(site(ID, "signed.json"), JSON.stringify({ ...signed, freshness: stolen }));
    await expectRefused(new RegExp(`signed with key ${keyId}, which was stolen`), () => syncFrom(site()));
  });

  it("reach the customers of a server that imports the mirror", async () => {
    const { keyId } = await confirm();
    await mirror();
    const inner = await Shell.open();
    try {
      const { publicKey } = (await shell.test.service.services.store.signingKeys.list())[0] ?? {};
      const trusted = parsePublicKey(publicKey ?? "");
      if (!trusted) throw new Error("there is no key");
      const { operator, service } = inner.test;
      const importer = { operation: async () => operator.operation(), objects: service.services.objects };
      await importMirror(importer, site(), [trusted]);
      await operator.settle();
      const { files } = await inner.json(0, "sync", ID, "--trust", publicKey ?? "");
      const first = files[0].current_as_of;
      expect(files).toMatchObject([{ current_as_of: expect.any(String) }]);
      shell.test.clock.advance("60 seconds");
      await confirm();
      await mirror();
      await importMirror(importer, site(), [trusted]);
      await operator.settle();
      const again = await inner.json(0, "sync", ID);
      expect(Date.parse(again.files[0].current_as_of) - Date.parse(first)).toBe(60_000);
      const keys = await service.services.store.freshnessKeys.list();
      expect(keys).toMatchObject([{ keyId, isImported: true }, { isImported: true }]);
    } finally {
      await inner.dispose();
    }
  });

  it("survive a rotation of the signing key", async () => {
    await confirm();
    await sync();
    await rotateSigningKey(shell.test.operator.operation(), { overlapDays: 0 });
    await shell.test.operator.settle();
    expect(await sync()).toMatchObject({ exitCode: 0, err: expect.stringContaining("new signing key") });
    expect((await trust()).databases[ID].freshness.sequence).toBe(2);
  });

  it("end for health, sync and verify while the server is stopped", needs("faketime"), async () => {
    await confirm();
    await sync();
    const later = async (days: string, ...argv: string[]) => {
      const environment = { ...programEnvironment(), ...shell.environment };
      const child = spawn("faketime", ["-f", days, process.execPath, MAIN, ...argv], { env: environment });
      const [out, exitCode] = await Promise.all([
        text(child.stdout),
        new Promise<number | null>((resolve) => child.on("close", resolve)),
      ]);
      return { exitCode, out: out.replace(/\s+/g, " ") };
    };
    expect((await later("+6h", "health", ID)).exitCode).toBe(0);
    expect(await later("+30h", "health", ID)).toMatchObject({
      exitCode: 1,
      out: expect.stringMatching(/nothing is known since \d{4}-/),
    });
    expect(await later("+30h", "sync", ID)).toMatchObject({
      exitCode: UNTRUSTED,
      out: expect.stringMatching(/clock is (29|30) h \d+ min ahead of the server's, which is the likelier cause/),
    });
    await rm(site(), { recursive: true, force: true });
  });
});
