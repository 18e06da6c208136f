import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import type { LinkTerms, ObjectStore } from "../../../src/domain/builds/object-store.ts";
import type { StoreUnderTest } from "./store-under-test.ts";

/** How the links of every store behave for a plain HTTP client. */
export function linkContract(opened: () => StoreUnderTest): void {
  describe("links", () => {
    let underTest: StoreUnderTest;
    let store: ObjectStore;
    let etag = "";
    let lastModified = "";
    const put = (key: string, content: string) => store.put(key, Readable.from([Buffer.from(content)]));
    const link = (key: string, terms: Partial<LinkTerms> = {}) => store.link(key, { ...linkTerms(), ...terms });
    beforeAll(async () => {
      underTest = opened();
      store = underTest.store;
      await put("linked/object", "0123456789");
      await put("linked/other", "other");
      const response = await fetch(link("linked/object"));
      etag = response.headers.get("etag") ?? "";
      lastModified = response.headers.get("last-modified") ?? "";
      await response.arrayBuffer();
    });

    it("point to the store's origin and last for the full time to live", () => {
      const now = new Date();
      const url = new URL(link("linked/object", { now, ttlSeconds: 900 }));
      expect(url.origin).toBe(store.linkOrigin);
      const signed = url.searchParams.get("X-Amz-Date") ?? "";
      const signedMs = Date.parse(signed.replace(/(....)(..)(..T..)(..)(..Z)/, "$1-$2-$3:$4:$5"));
      const endsMs = signedMs + Number(url.searchParams.get("X-Amz-Expires")) * 1000;
      expect(Math.abs(endsMs - now.getTime() - 900_000)).toBeLessThan(5000);
      expect(now.getTime() - signedMs).toBeGreaterThan(30_000);
    });

    it("deliver the object with its file name and content type", async () => {
      const response = await fetch(link("linked/object"));
      expect(response.status).toBe(200);
      expect(await response.text()).toBe("0123456789");
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-length": "10",
        "content-type": "application/gzip",
        "content-disposition": 'attachment; filename="vpn_ip_v1.csv.gz"',
        "accept-ranges": "bytes",
        etag: expect.stringMatching(/^"[^"]+"$/),
        "last-modified": expect.stringMatching(/ GMT$/),
      });
    });

    it.each([
      ["bytes=2-4", "234", "bytes 2-4/10"],
      ["bytes=7-", "789", "bytes 7-9/10"],
      ["bytes=-3", "789", "bytes 7-9/10"],
      ["bytes=5-500", "56789", "bytes 5-9/10"],
    ])("deliver a range: %s", async (range, body, contentRange) => {
      const response = await fetch(link("linked/object"), { headers: { range } });
      expect([response.status, await response.text()]).toEqual([206, body]);
      expect(response.headers.get("content-range")).toBe(contentRange);
      expect(response.headers.get("content-length")).toBe(String(body.length));
      expect(response.headers.get("etag")).toBe(etag);
    });

    it("refuse a range past the end", async () => {
      const response = await fetch(link("linked/object"), { headers: { range: "bytes=10-" } });
      expect([response.status, await response.text()]).toEqual([416, expect.stringContaining("InvalidRange")]);
    });

    it("resume an interrupted transfer", async () => {
      for (const ifRange of [etag, lastModified]) {
        const headers = { range: "bytes=4-", "if-range": ifRange };
        const response = await fetch(link("linked/object"), { headers });
        expect([response.status, await response.text()]).toEqual([206, "456789"]);
      }
    });

    it("return 304 if the client already has the object", async () => {
      for (const headers of [{ "if-none-match": etag }, { "if-modified-since": lastModified }]) {
        const response = await fetch(link("linked/object"), { headers });
        expect([response.status, await response.text()]).toEqual([304, ""]);
      }
      const other = await fetch(link("linked/object"), { headers: { "if-none-match": '"other"' } });
      expect([other.status, await other.text()]).toEqual([200, "0123456789"]);
    });

    it("return 412 if the client's precondition does not match", async () => {
      const longAgo = new Date(0).toUTCString();
      for (const headers of [{ "if-match": '"other"' }, { "if-unmodified-since": longAgo }]) {
        const response = await fetch(link("linked/object"), { headers });
        expect([response.status, await response.text()]).toEqual([412, expect.stringContaining("PreconditionFailed")]);
      }
    });

    it("work with HEAD if signed for it", async () => {
      const response = await fetch(link("linked/object", { method: "HEAD" }), { method: "HEAD" });
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-length": "10",
        "content-type": "application/gzip",
        "content-disposition": 'attachment; filename="vpn_ip_v1.csv.gz"',
        etag,
      });
    });

    it("grant nothing but what they were signed for", async () => {
      for (const method of ["PUT", "POST", "DELETE"]) {
        const response = await fetch(link("linked/object"), { method, ...(method.startsWith("P") && { body: "x" }) });
        expect([method, response.status]).toEqual([method, 403]);
      }
      const response = await fetch(link("linked/object", { method: "HEAD" }));
      expect(response.status).toBe(403);
      await response.arrayBuffer();
      expect(await text(await store.read("linked/object"))).toBe("0123456789");
    });

    it("stop working when they expire", async () => {
      const now = new Date(Date.now() - 10 * 60_000);
      const expired = await fetch(link("linked/object", { now, ttlSeconds: 590 }));
      expect([expired.status, await expired.text()]).toEqual([403, expect.stringContaining("AccessDenied")]);
      const valid = await fetch(link("linked/object", { now, ttlSeconds: 660 }));
      expect([valid.status, await valid.text()]).toEqual([200, "0123456789"]);
    });

    it.each<[string, string | RegExp, string, string]>([
      ["another object", "object?", "other?", "SignatureDoesNotMatch"],
      ["a later expiry", /X-Amz-Expires=\d+/, "X-Amz-Expires=86400", "SignatureDoesNotMatch"],
      ["another content type", "application%2Fgzip", "text%2Fhtml", "SignatureDoesNotMatch"],
      ["an added parameter", "&x-id", "&response-expires=0&x-id", "SignatureDoesNotMatch"],
      ["a removed parameter", "&x-id=GetObject", "", "SignatureDoesNotMatch"],
      ["another signature", /Signature=\w+/, `Signature=${"0".repeat(64)}`, "SignatureDoesNotMatch"],
      ["half a signature", /Signature=\w{32}/, "Signature=", "SignatureDoesNotMatch"],
      ["no signature", /&X-Amz-Signature=\w+/, "", "AccessDenied"],
      ["no query", /\?.*/, "", "AccessDenied"],
    ])("are refused if tampered with: %s", async (_, from, to, code) => {
      const tampered = link("linked/object").replace(from, to);
      expect(tampered).not.toBe(link("linked/object"));
      const response = await fetch(tampered);
      expect([response.status, await response.text()]).toEqual([403, expect.stringContaining(`<Code>${code}</Code>`)]);
    });

    it("are refused if signed with other credentials", async () => {
      const stranger = underTest.signedWith({ accessKeyId: "unknown", secretAccessKey: "unknown" });
      const unknown = await fetch(stranger.link("linked/object", linkTerms()));
      expect([unknown.status, await unknown.text()]).toEqual([403, expect.stringContaining("InvalidAccessKeyId")]);
      const guesser = underTest.signedWith({ ...underTest.credentials, secretAccessKey: "guessed" });
      const guessed = await fetch(guesser.link("linked/object", linkTerms()));
      expect([guessed.status, await guessed.text()]).toEqual([403, expect.stringContaining("SignatureDoesNotMatch")]);
    });

    it("are refused together with an Authorization header", async () => {
      const response = await fetch(link("linked/object"), { headers: { authorization: "Bearer dbd_secret" } });
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("InvalidArgument")]);
    });

    it("work if the client encodes the URL differently", async () => {
      await put("linked/a b~c", "found");
      const url = link("linked/a b~c").replace("~", "%7E").replaceAll("%20filename", "+filename");
      const response = await fetch(url);
      expect([response.status, await response.text()]).toEqual([200, "found"]);
    });
  });
}

export function linkTerms(): LinkTerms {
  return { ttlSeconds: 900, filename: "vpn_ip_v1.csv.gz", contentType: "application/gzip", now: new Date() };
}
