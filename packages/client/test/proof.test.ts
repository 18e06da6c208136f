import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { parseEndorsement } from "@dbdepot/contract/v2/endorsements";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PrivateKey } from "../../server/src/domain/manifests/signing-key.ts";
import { createSigningKey } from "../../server/src/domain/manifests/signing-keys.ts";
import type { DbdepotError, TrustEvent } from "../src/index.ts";
import { parseManifest, readSignedManifest, readSigningKeys } from "../src/proof/documents.ts";
import { areSameKeys, followEndorsements, type TrustedKey, trustedKey, trustedKeys } from "../src/proof/trust.ts";
import { requirePublicKey } from "../src/proof/verifier.ts";
import { filesOf, ID, TestDepot } from "./depot.ts";

type Change = (path: string, body: string) => string;

describe("the library", () => {
  let depot: TestDepot;
  let publicKey: string;
  beforeEach(async () => {
    depot = await TestDepot.open();
    ({ publicKey } = (await createSigningKey(depot.test.operator.operation())).key);
    await depot.publish(filesOf("one"));
  });
  afterEach(() => depot.dispose());

  /** A client whose responses someone on the way changes. */
  function attacked(change: Change, trust = publicKey) {
    const fetchChanged: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const { pathname } = new URL(String(input));
      if (!/manifest|keys\.json|checksum/.test(pathname) || response.status !== 200) return response;
      const { status, headers } = response;
      return new Response(change(pathname, await response.text()), {
        status,
        headers: { "x-build-id": headers.get("x-build-id") ?? "" },
      });
    };
    return depot.client({ trust, fetch: fetchChanged, retries: 0 });
  }
  const refusal = (work: Promise<unknown>): Promise<DbdepotError> =>
    work.then(
      () => expect.unreachable(),
      (error) => error,
    );

  it("downloads what the vendor signed", async () => {
    const client = depot.client({ trust: publicKey });
    const manifest = await client.manifest(ID);
    const { buildId, sha256 } = await client.download(ID, "mmdb", { to: depot.path() });
    expect(buildId).toBe(manifest?.build_id);
    expect(sha256).toBe(manifest?.files.mmdb?.checksums.sha256);
    expect(await readFile(depot.path())).toEqual(filesOf("one").mmdb);
  });

  it("remembers a key that it trusts on first use", async () => {
    const events: TrustEvent[] = [];
    const trustFile = join(depot.folder, "trust.json");
    const onTrust = (event: TrustEvent) => events.push(event);
    for (let i = 0; i < 2; i += 1) {
      await depot.client({ trustFile, onTrust }).download(ID, "mmdb", { to: depot.path() });
    }
    expect(events).toMatchObject([{ publicKey, reason: "first use" }]);
    const other = depot.client({ trustFile, trust: PrivateKey.generate().publicKey });
    expect(await refusal(other.download(ID, "mmdb", { to: depot.path() }))).toMatchObject({ kind: "untrusted" });
  });

  it("verifies nothing unless it is asked to", async () => {
    const client = depot.client();
    await client.download(ID, "mmdb", { to: depot.path() });
    expect(await client.trustIn(ID)).toEqual({ hasKey: false, hasSeen: false });
  });

  it("refuses every change of a manifest or its signature", async () => {
    const changes: Change[] = [
      (_, body) => body.replace(/"size_bytes\\": \d/, '"size_bytes\\": 9'),
      (_, body) => body.replace(/trusted comment: dbdepot/, "trusted comment: Dbdepot"),
      (_, body) => body.replace(/\\"sequence\\": \d+/, '\\"sequence\\": 7'),
      (_, body) => JSON.stringify({ ...JSON.parse(body), manifest: "{}" }),
      (_, body) => JSON.stringify({ ...JSON.parse(body), signature: "" }),
      () => "[]",
      () => "null",
    ];
    for (const change of changes) {
      let isChanged = false;
      const client = attacked((path, body) => {
        if (!path.endsWith("manifest")) return body;
        const changed = change(path, body);
        isChanged = changed !== body;
        return changed;
      });
      const error = await refusal(client.download(ID, "mmdb", { to: depot.path() }));
      expect({ isChanged, kind: error.kind }).toEqual({ isChanged: true, kind: "untrusted" });
      await expect(readFile(depot.path())).rejects.toThrow("ENOENT");
    }
  });

  it("refuses a manifest of another database or build", async () => {
    await depot.test.operator.addDatabase("bogon_ip_v1");
    await depot.publish(filesOf("bogon"), "bogon_ip_v1");
    const entry = await depot.test.service.services.store.manifests.latest("bogon_ip_v1");
    const client = attacked((path, body) =>
      path.endsWith("manifest") ? JSON.stringify({ manifest: entry?.body, signature: entry?.signature }) : body,
    );
    expect(await refusal(client.manifest(ID))).toMatchObject({ kind: "untrusted" });
    const first = await depot.test.service.services.store.manifests.latest(ID);
    await depot.publish(filesOf("two"));
    const replaying = attacked((path, body) =>
      path.endsWith("manifest") ? JSON.stringify({ manifest: first?.body, signature: first?.signature }) : body,
    );
    const { build_id: build } = (await depot.client({ trust: publicKey }).manifest(ID)) ?? {};
    const error = await refusal(replaying.download(ID, "mmdb", { to: depot.path(), build: build ?? "" }));
    expect(error).toMatchObject({ kind: "untrusted", message: expect.stringContaining("about another build") });
  });

  it("refuses a file that is not the signed one, even if the service vouches for it", async () => {
    const { store, objects } = depot.test.service.services;
    const [build] = await store.builds.list(ID);
    const client = attacked((path, body) =>
      path.endsWith("checksum") ? body.replace(/"sha256":"..../, '"sha256":"0000') : body,
    );
    const error = await refusal(client.download(ID, "mmdb", { to: depot.path(), delivery: "stream" }));
    expect(error).toMatchObject({ kind: "untrusted", message: expect.stringContaining("is not the signed one") });
    // The bytes in storage were replaced.
    await objects.remove(build?.files.mmdb?.objectKey ?? "");
    await objects.put(build?.files.mmdb?.objectKey ?? "", Readable.from([filesOf("evil").mmdb]));
    const honest = depot.client({ trust: publicKey, retries: 1 });
    expect((await refusal(honest.download(ID, "mmdb", { to: depot.path() }))).kind).toBe("corrupt");
    await expect(readFile(depot.path())).rejects.toThrow("ENOENT");
  });

  it("finds a missing link of the chain", async () => {
    const trustFile = join(depot.folder, "trust.json");
    await depot.client({ trustFile }).manifest(ID);
    for (const mark of ["two", "three", "four"]) await depot.publish(filesOf(mark));
    const { store } = depot.test.service.services;
    const third = await store.manifests.bySequence(ID, 3);
    const { body, signature } = (await store.manifests.bySequence(ID, 2)) ?? {};
    const client = depot.client({
      trustFile,
      retries: 0,
      fetch: async (input, init) =>
        String(input).includes("sequence=3") ? Response.json({ manifest: body, signature }) : fetch(input, init),
    });
    expect(await refusal(client.manifest(ID))).toMatchObject({
      message: expect.stringContaining("manifest 3 is missing"),
    });
    expect(third?.sequence).toBe(3);
    expect((await depot.client({ trustFile }).manifest(ID))?.sequence).toBe(4);
  });
});

describe("endorsements", () => {
  const now = new Date("2026-11-17T00:00:00Z");
  const [first, second, third] = [PrivateKey.generate(), PrivateKey.generate(), PrivateKey.generate()];
  const trusted = (key: PrivateKey): TrustedKey => trustedKey(requirePublicKey(key.publicKey), "given", now);
  const published = (key: PrivateKey, by: PrivateKey, signer = by, endorsed = key) => {
    const statement = JSON.stringify({
      format: 1,
      endorsed_key: endorsed.publicKey,
      endorsed_by: by.keyId,
      created: now.toISOString(),
      old_key_expires: "2026-12-17T00:00:00.000Z",
    });
    const endorsement = { statement, signature: signer.sign(statement, "x") };
    return { key_id: key.keyId, public_key: key.publicKey, created: "", expires: null, endorsement };
  };
  const ids = (keys: TrustedKey[]) => keys.map((key) => key.key_id);

  it("are followed through several keys, in any order", () => {
    const list = [published(third, second), published(second, first)];
    const keys = followEndorsements([trusted(first)], list, now);
    expect(ids(keys)).toEqual([first.keyId, second.keyId, third.keyId]);
    expect(keys.map(({ expires }) => expires)).toEqual(["2026-12-17T00:00:00.000Z", "2026-12-17T00:00:00.000Z", null]);
  });

  it("count only if a trusted key that has not expired made them for this key", () => {
    const old = { ...trusted(first), expires: now.toISOString() };
    expect(ids(followEndorsements([old], [published(second, first)], now))).toEqual([first.keyId]);
    for (const forged of [
      published(second, first, second),
      published(second, third),
      published(second, first, first, third),
      { ...published(second, first), endorsement: null },
      { ...published(second, first), public_key: "x" },
    ]) {
      expect(ids(followEndorsements([trusted(first)], [forged], now))).toEqual([first.keyId]);
    }
  });
});

describe("given keys", () => {
  const now = new Date("2026-11-17T00:00:00Z");
  const [first, second, third] = [PrivateKey.generate(), PrivateKey.generate(), PrivateKey.generate()];
  const keyOf = ({ publicKey }: PrivateKey) => requirePublicKey(publicKey);
  const stored: TrustedKey[] = [
    { ...trustedKey(keyOf(first), "first use", now), expires: "2026-12-17T00:00:00.000Z" },
    { ...trustedKey(keyOf(second), "endorsed", now), endorsed_by: first.publicKey },
    { ...trustedKey(keyOf(third), "endorsed", now), endorsed_by: second.publicKey },
  ];
  const ids = (...given: PrivateKey[]) => trustedKeys(given.map(keyOf), stored, now).map((key) => key.key_id);

  it("replace all stored keys but those that they endorse", () => {
    expect(ids()).toEqual([first.keyId, second.keyId, third.keyId]);
    expect(ids(first)).toEqual([first.keyId, second.keyId, third.keyId]);
    expect(ids(second)).toEqual([second.keyId, third.keyId]);
    expect(ids(third)).toEqual([third.keyId]);
    expect(ids(PrivateKey.generate())).toHaveLength(1);
  });

  it("keep the date on which they expire, and have to be stored", () => {
    const keys = trustedKeys([keyOf(first)], stored, now);
    expect(keys[0]).toMatchObject({ reason: "given", expires: "2026-12-17T00:00:00.000Z" });
    expect(areSameKeys(keys, stored)).toBe(false);
    expect(areSameKeys(trustedKeys([keyOf(first)], keys, now), keys)).toBe(true);
  });
});

describe("documents", () => {
  it("of any content are read without an exception", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), fc.jsonValue(), (text, value) => {
        parseManifest(text);
        parseEndorsement(text);
        readSignedManifest(value);
        readSigningKeys(value);
        readSigningKeys({ keys: [value, { public_key: value, endorsement: value }] });
      }),
    );
  });

  it("are manifests only with valid ids, digests and positions", async () => {
    const manifest = {
      format: 1,
      id: ID,
      sequence: 1,
      created: "",
      build_id: null,
      published: null,
      metadata: null,
      files: {},
      previous: null,
    };
    const isManifest = (change: object) => parseManifest(JSON.stringify({ ...manifest, ...change })) !== undefined;
    expect(isManifest({})).toBe(true);
    const invalid = [
      { format: 2 },
      { id: "../../vpn_ip_v1" },
      { id: "__proto__" },
      { sequence: 0 },
      { sequence: 1.5 },
      { sequence: 2 },
      { previous: "0".repeat(64) },
      { build_id: "../../etc" },
      { files: { mmdb: {} } },
      { files: { mmdb: { size_bytes: -1, checksums: {} } } },
      { files: [] },
      { metadata: { size_bytes: 1, sha256: "x" } },
    ];
    expect(invalid.filter(isManifest)).toEqual([]);
  });
});
