import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, expectRefusal } from "../../customer.ts";
import { rawRequest } from "../../raw-request.ts";
import { stages } from "../../stages.ts";
import { type TestService, testService } from "../../test-service.ts";
import { type Admin, newAdmin } from "./admin.ts";

const INVALID: [why: string, body: unknown][] = [
  ["not JSON", "{"],
  ["not JSON", "name=ci"],
  ["not JSON", '{"name":"ci"} x'],
  ["no body", ""],
  ["no object", "null"],
  ["no object", '"ci"'],
  ["no object", [{ name: "ci" }]],
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
  ["half a character in the name", '{"name":"\\ud83d"}'],
  ["an unknown field", { name: "ci", scopes: [] }],
  ["an unknown field", { name: "ci", organization_id: "x" }],
  ["an unknown field", '{"name":"ci","__proto__":{"allowed_scopes":["db.download"]}}'],
  ["an unknown field", '{"name":"ci","constructor":{"prototype":{}}}'],
  ["an inherited name", '{"__proto__":{"name":"ci"}}'],
  ["an unknown scope", { name: "ci", allowed_scopes: ["db.upload"] }],
  ["an unknown scope", { name: "ci", allowed_scopes: ["db.download", ""] }],
  ["an unknown scope", { name: "ci", allowed_scopes: ["DB.DOWNLOAD"] }],
  ["an operator's scope", { name: "ci", allowed_scopes: ["operator.write"] }],
  ["an operator's scope", { name: "ci", allowed_scopes: ["db.download", "builds.publish"] }],
  ["an operator's scope", { name: "ci", allowed_scopes: ["operator.read"] }],
  ["scopes of a wrong type", { name: "ci", allowed_scopes: "db.download" }],
  ["scopes of a wrong type", { name: "ci", allowed_scopes: [["db.download"]] }],
  ["scopes of a wrong type", { name: "ci", allowed_scopes: null }],
  ["too many scopes", { name: "ci", allowed_scopes: Array(17).fill("db.download") }],
  ["no CIDR", { name: "ci", allowed_cidrs: ["10.0.0.1"] }],
  ["no CIDR", { name: "ci", allowed_cidrs: ["10.0.0.0/33"] }],
  ["no CIDR", { name: "ci", allowed_cidrs: ["10.0.0.1/8"] }],
  ["no CIDR", { name: "ci", allowed_cidrs: ["10.0.0.0/8", "everywhere"] }],
  ["no CIDR", { name: "ci", allowed_cidrs: [""] }],
  ["CIDRs of a wrong type", { name: "ci", allowed_cidrs: "10.0.0.0/8" }],
  ["CIDRs of a wrong type", { name: "ci", allowed_cidrs: null }],
  ["CIDRs of a wrong type", { name: "ci", allowed_cidrs: [10] }],
  ["too many CIDRs", { name: "ci", allowed_cidrs: Array(101).fill("10.0.0.0/8") }],
  ["an end in the past", { name: "ci", expires: "2001-01-01T00:00:00Z" }],
  ["an end that is no time", { name: "ci", expires: "tomorrow" }],
  ["an end that is no time", { name: "ci", expires: "" }],
  ["an end that is no time", { name: "ci", expires: "2099-02-30T00:00:00Z" }],
  ["an end that is no time", { name: "ci", expires: "2099-01-01T00:00:00" }],
  ["an end that is no time", { name: "ci", expires: "2099-01-01" }],
  ["an end that is no time", { name: "ci", expires: "+012099-01-01T00:00:00Z" }],
  ["an end that is no time", { name: "ci", expires: 4_070_908_800 }],
  ["deep nesting", `{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
  ["deep nesting", "[".repeat(60_000)],
  ["a field that is wrong where it is given last", '{"name":"ci","name":5}'],
];

for (const stage of stages()) {
  describe(`the body of POST /api/v1/iam/apikeys on ${stage.name}`, () => {
    let test: TestService;
    let admin: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      admin = await newAdmin(test, "Acme");
    });
    afterAll(() => test.dispose());

    it("400 INVALID_REQUEST: not JSON, or a wrong or unknown field; and no key exists", async () => {
      const before = await admin.keys();
      for (const [why, body] of INVALID) {
        const reply = await admin.create(body);
        expect([why, body, reply.status, reply.json]).toEqual([why, body, 400, { rc: "INVALID_REQUEST" }]);
      }
      expect(await admin.keys()).toEqual(before);
      expect(test.logs()).not.toContain("unexpected error");
    });

    it("takes names of 1 and 100 characters, trims them, and keeps every script as it was sent", async () => {
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

    it("takes an end with an offset, or null for none, and shows it in UTC", async () => {
      for (const [expires, shown] of [
        ["2099-01-01T02:00:00+02:00", "2099-01-01T00:00:00.000Z"],
        ["2099-01-01T00:00:00.5z", "2099-01-01T00:00:00.500Z"],
        [null, null],
      ]) {
        expect((await admin.create({ name: "ends", expires })).status).toBe(200);
        expect((await admin.keys())[0].expires).toBe(shown);
      }
    });

    it("brings scopes and CIDRs into their one form", async () => {
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

    it("of a field that is there twice the last one counts, and the first does nothing", async () => {
      const twice = '{"allowed_scopes":["operator.write"],"name":"first","name":"last","allowed_scopes":[]}';
      const reply = await admin.create(twice);
      expect(reply.json).toMatchObject({ name: "last", allowed_scopes: [] });
    });

    it("400 INVALID_REQUEST: bytes that are no UTF-8", async () => {
      const body = Buffer.from('{"name":"caf\xe9"}', "latin1");
      const headers = { authorization: `Bearer ${admin.key}`, "content-type": "application/json" };
      const reply = await call(`${admin.apiUrl}/api/v1/iam/apikeys`, { method: "POST", headers, body });
      expectRefusal(reply, 400, "INVALID_REQUEST");
    });

    it("415 UNSUPPORTED_MEDIA_TYPE: another Content-Type, or none", async () => {
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

    it("takes application/json with a charset, in any case", async () => {
      for (const type of ["application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"]) {
        expect((await admin.create({ name: "ci" }, { "content-type": type })).status).toBe(200);
      }
    });

    it("413 TOO_LARGE: a body of more than 64 KiB, said before or found on the way", async () => {
      const padded = (bytes: number) => '{"name":"ci"}'.padEnd(bytes, " ");
      expect((await admin.create(padded(64 * 1024))).status).toBe(200);
      expectRefusal(await admin.create(padded(64 * 1024 + 1)), 413, "TOO_LARGE");
      const chunk = `${(40_000).toString(16)}\r\n${" ".repeat(40_000)}\r\n`;
      const type = "Content-Type: application/json\r\n";
      const request = `${head(admin, `${type}Transfer-Encoding: chunked`)}${chunk}${chunk}0\r\n\r\n`;
      const raw = await rawRequest(admin.apiUrl, request);
      expect([raw.status, raw.body]).toEqual([413, '{"rc":"TOO_LARGE"}']);
    });

    it("takes a chunked body, cut anywhere", async () => {
      const pieces = ['{"na', 'me":"chu', "nk", 'ed"}'];
      const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("");
      const type = "Content-Type: application/json\r\n";
      const raw = await rawRequest(
        admin.apiUrl,
        `${head(admin, `${type}Transfer-Encoding: chunked`)}${chunks}0\r\n\r\n`,
      );
      expect([raw.status, JSON.parse(raw.body).name]).toEqual([200, "chunked"]);
    });

    it("a client that goes away in the middle of its body creates nothing, and is no fault", async () => {
      const before = await admin.keys();
      const { hostname, port } = new URL(admin.apiUrl);
      const socket = connect(Number(port), hostname);
      socket.write(`${head(admin, "Content-Type: application/json\r\nContent-Length: 20")}{"name":`);
      await delay(100);
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
