import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { rawRequest } from "../../../../../rigs/harness/service/raw-request.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { type Admin, newAdmin } from "./admin.ts";

const INVALID: [why: string, body: unknown][] = [
  ["not JSON", "{"],
  ["not JSON", "name=ci"],
  ["not JSON", '{"name":"ci"} x'],
  ["an empty body", ""],
  ["not an object", "null"],
  ["not an object", '"ci"'],
  ["not an object", [{ name: "ci" }]],
  ["no name", {}],
  ["no name", { name: null }],
  ["a wrong type", { name: 5 }],
  ["a wrong type", { name: ["ci"] }],
  ["a wrong type", { name: { toString: "ci" } }],
  ["an empty name", { name: "" }],
  ["an empty name", { name: " \t\u00a0\u3000 " }],
  ["a name of 101 characters", { name: "x".repeat(101) }],
  ["a name of 101 characters", { name: "😀".repeat(101) }],
  ["a name of two lines", { name: "a\nb" }],
  ["a name with a NUL", { name: "a\0b" }],
  ["a lone surrogate in the name", '{"name":"\\ud83d"}'],
  ["an unknown field", { name: "ci", scopes: [] }],
  ["an unknown field", { name: "ci", organization_id: "x" }],
  ["an unknown field", '{"name":"ci","__proto__":{"allowed_scopes":["db.download"]}}'],
  ["an unknown field", '{"name":"ci","constructor":{"prototype":{}}}'],
  ["an inherited name", '{"__proto__":{"name":"ci"}}'],
  ["an unknown scope", { name: "ci", allowed_scopes: ["db.upload"] }],
  ["an unknown scope", { name: "ci", allowed_scopes: ["db.download", ""] }],
  ["an unknown scope", { name: "ci", allowed_scopes: ["DB.DOWNLOAD"] }],
  ["an operator scope", { name: "ci", allowed_scopes: ["operator.write"] }],
  ["an operator scope", { name: "ci", allowed_scopes: ["db.download", "builds.publish"] }],
  ["an operator scope", { name: "ci", allowed_scopes: ["operator.read"] }],
  ["scopes of a wrong type", { name: "ci", allowed_scopes: "db.download" }],
  ["scopes of a wrong type", { name: "ci", allowed_scopes: [["db.download"]] }],
  ["scopes of a wrong type", { name: "ci", allowed_scopes: null }],
  ["too many scopes", { name: "ci", allowed_scopes: Array(17).fill("db.download") }],
  ["an invalid CIDR", { name: "ci", allowed_cidrs: ["10.0.0.1"] }],
  ["an invalid CIDR", { name: "ci", allowed_cidrs: ["10.0.0.0/33"] }],
  ["an invalid CIDR", { name: "ci", allowed_cidrs: ["10.0.0.1/8"] }],
  ["an invalid CIDR", { name: "ci", allowed_cidrs: ["10.0.0.0/8", "everywhere"] }],
  ["an invalid CIDR", { name: "ci", allowed_cidrs: [""] }],
  ["CIDRs of a wrong type", { name: "ci", allowed_cidrs: "10.0.0.0/8" }],
  ["CIDRs of a wrong type", { name: "ci", allowed_cidrs: null }],
  ["CIDRs of a wrong type", { name: "ci", allowed_cidrs: [10] }],
  ["too many CIDRs", { name: "ci", allowed_cidrs: Array(101).fill("10.0.0.0/8") }],
  ["an expiry date in the past", { name: "ci", expires: "2001-01-01T00:00:00Z" }],
  ["an invalid expiry date", { name: "ci", expires: "tomorrow" }],
  ["an invalid expiry date", { name: "ci", expires: "" }],
  ["an invalid expiry date", { name: "ci", expires: "2099-02-30T00:00:00Z" }],
  ["an invalid expiry date", { name: "ci", expires: "2099-01-01T00:00:00" }],
  ["an invalid expiry date", { name: "ci", expires: "2099-01-01" }],
  ["an invalid expiry date", { name: "ci", expires: "+012099-01-01T00:00:00Z" }],
  ["an invalid expiry date", { name: "ci", expires: 4_070_908_800 }],
  ["deep nesting", `{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
  ["deep nesting", "[".repeat(60_000)],
  ["a duplicate field with an invalid last value", '{"name":"ci","name":5}'],
];

for (const stage of eitherStage()) {
  describe(`The body of POST /api/v1/iam/apikeys on ${stage.name}`, () => {
    let test: TestService;
    let admin: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      admin = await newAdmin(test, "Acme");
    });
    afterAll(() => test.dispose());

    it("returns 400 INVALID_REQUEST for invalid JSON and invalid or unknown fields, and creates no key", async () => {
      const before = await admin.keys();
      for (const [why, body] of INVALID) {
        const reply = await admin.create(body);
        expect([why, body, reply.status, reply.json]).toEqual([why, body, 400, { rc: "INVALID_REQUEST" }]);
      }
      expect(await admin.keys()).toEqual(before);
      expect(test.logs()).not.toContain("unexpected error");
    });

    it("accepts names of 1 to 100 characters in any script and trims them", async () => {
      for (const name of [
        "x",
        "x".repeat(100),
        "😀".repeat(100),
        `  ${"x".repeat(100)}\n`,
        "Ключ № 1",
        "مفتاح",
        "a\u0301",
      ]) {
        const reply = await admin.create({ name });
        expect([reply.status, reply.json.name]).toEqual([200, name.trim()]);
        expect((await admin.keys())[0].name).toBe(name.trim());
      }
    });

    it("accepts null or an expiry date with any time zone and returns it in UTC", async () => {
      for (const [expires, shown] of [
        ["2099-01-01T02:00:00+02:00", "2099-01-01T00:00:00.000Z"],
        ["2099-01-01T00:00:00.5z", "2099-01-01T00:00:00.500Z"],
        [null, null],
      ]) {
        expect((await admin.create({ name: "expires", expires })).status).toBe(200);
        expect((await admin.keys())[0].expires).toBe(shown);
      }
    });

    it("normalizes scopes and CIDRs", async () => {
      const reply = await admin.create({
        name: "forms",
        allowed_scopes: ["apikeys.manage", "db.download", "db.download"],
        allowed_cidrs: ["2001:DB8::/32", " 10.0.0.0/8", "::ffff:192.0.2.0/120", "10.0.0.0/8"],
      });
      expect(reply.json).toMatchObject({
        allowed_scopes: ["db.download", "apikeys.manage"],
        allowed_cidrs: ["2001:db8::/32", "10.0.0.0/8", "192.0.2.0/24"],
      });
    });

    it("uses the last value of a duplicate field", async () => {
      const twice = '{"allowed_scopes":["operator.write"],"name":"first","name":"last","allowed_scopes":[]}';
      const reply = await admin.create(twice);
      expect(reply.json).toMatchObject({ name: "last", allowed_scopes: [] });
    });

    it("returns 400 INVALID_REQUEST for a body that is not UTF-8", async () => {
      const body = Buffer.from('{"name":"caf\xe9"}', "latin1");
      const headers = { authorization: `Bearer ${admin.key}`, "content-type": "application/json" };
      const reply = await call(`${admin.apiUrl}/api/v1/iam/apikeys`, { method: "POST", headers, body });
      expectRefusal(reply, 400, "INVALID_REQUEST");
    });

    it("returns 415 UNSUPPORTED_MEDIA_TYPE for a missing or different Content-Type", async () => {
      const body = '{"name":"ci"}';
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "text/json",
        "json",
      ]) {
        expectRefusal(await admin.create(body, { "content-type": type }), 415, "UNSUPPORTED_MEDIA_TYPE");
      }
      const raw = await rawRequest(admin.apiUrl, head(admin, `Content-Length: ${body.length}`) + body);
      expect([raw.status, raw.body]).toEqual([415, '{"rc":"UNSUPPORTED_MEDIA_TYPE"}']);
    });

    it("accepts application/json in upper or lower case, with or without a charset", async () => {
      for (const type of ["application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"]) {
        expect((await admin.create({ name: "ci" }, { "content-type": type })).status).toBe(200);
      }
    });

    it("returns 413 TOO_LARGE for more than 64 KiB, with Content-Length or chunked", async () => {
      const padded = (bytes: number) => '{"name":"ci"}'.padEnd(bytes, " ");
      expect((await admin.create(padded(64 * 1024))).status).toBe(200);
      expectRefusal(await admin.create(padded(64 * 1024 + 1)), 413, "TOO_LARGE");
      const chunk = `${(40_000).toString(16)}\r\n${" ".repeat(40_000)}\r\n`;
      const type = "Content-Type: application/json\r\n";
      const request = `${head(admin, `${type}Transfer-Encoding: chunked`)}${chunk}${chunk}0\r\n\r\n`;
      const raw = await rawRequest(admin.apiUrl, request);
      expect([raw.status, raw.body]).toEqual([413, '{"rc":"TOO_LARGE"}']);
    });

    it("accepts a chunked body", async () => {
      const pieces = ['{"na', 'me":"chu', "nk", 'ed"}'];
      const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("");
      const type = "Content-Type: application/json\r\n";
      const raw = await rawRequest(
        admin.apiUrl,
        `${head(admin, `${type}Transfer-Encoding: chunked`)}${chunks}0\r\n\r\n`,
      );
      expect([raw.status, JSON.parse(raw.body).name]).toEqual([200, "chunked"]);
    });

    it("creates no key and logs no error if the client disconnects while it sends the body", async () => {
      const before = await admin.keys();
      const { hostname, port } = new URL(admin.apiUrl);
      const socket = connect(Number(port), hostname);
      const headers = "Content-Type: application/json\r\nContent-Length: 20\r\nExpect: 100-continue";
      socket.write(`${head(admin, headers)}{"name":`);
      expect(String((await once(socket, "data"))[0])).toContain("100 Continue");
      socket.destroy();
      await expect.poll(() => test.logs()).toMatch(/"status":null.*"cut_off":true/);
      expect(await admin.keys()).toEqual(before);
      expect(test.logs()).not.toContain("unexpected error");
    });
  });
}

function head({ key }: Admin, headers: string): string {
  return `POST /api/v1/iam/apikeys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n${headers}\r\n\r\n`;
}
