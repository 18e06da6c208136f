import { describe, expect, it } from "vitest";
import { ERRORS } from "../src/shared/errors.ts";
import { fileName, isFormat } from "../src/shared/formats.ts";
import { CUSTOMER_SCOPES, isOperatorScope, isScope, OPERATOR_SCOPES, SCOPES } from "../src/shared/scopes.ts";
import { isRedistribution } from "../src/v2/catalogue.ts";

/** Values that are invalid for every enum, including inherited property names. */
const INVALID_VALUES = [
  "",
  " csvgz",
  "CSVGZ",
  "toString",
  "constructor",
  "__proto__",
  null,
  undefined,
  0,
  ["mmdb"],
  {},
];

describe("scopes", () => {
  it("belong either to customers or to operators, never to both", () => {
    expect(CUSTOMER_SCOPES).toEqual(["db.download", "apikeys.manage", "account.read", "apikeys.read", "org.read"]);
    expect(OPERATOR_SCOPES).toEqual(["builds.publish", "operator.read", "operator.write"]);
    for (const scope of CUSTOMER_SCOPES) expect(isOperatorScope(scope)).toBe(false);
    for (const scope of OPERATOR_SCOPES) expect(isOperatorScope(scope)).toBe(true);
    for (const scope of SCOPES) expect(isScope(scope)).toBe(true);
  });

  it.each(["DB.DOWNLOAD", "db.*", "*", "db", "db.download ", "operator", ...INVALID_VALUES])("rejects %j", (value) => {
    expect(isScope(value)).toBe(false);
  });
});

describe("enums", () => {
  it.each([
    [isFormat, ["csvgz", "mmdb"]],
    [isRedistribution, ["evaluation", "internal", "redistribute"]],
  ])("%o accepts exactly the listed values", (isMember, members) => {
    for (const member of members) expect(isMember(member)).toBe(true);
    for (const value of INVALID_VALUES) expect(isMember(value)).toBe(false);
  });
});

describe("fileName", () => {
  it("ends in the extension of the format", () => {
    expect(fileName("vpn_ip_v1", "csvgz")).toBe("vpn_ip_v1.csv.gz");
    expect(fileName("vpn_ip_v1", "mmdb")).toBe("vpn_ip_v1.mmdb");
  });
});

describe("error codes", () => {
  it.each([
    [400, ["INVALID_FORMAT", "INVALID_ID"]],
    [401, ["UNAUTHORIZED", "INVALID_APIKEY", "INVALID_CREDENTIALS"]],
    [403, ["NOT_LICENSED", "LICENSE_EXPIRED", "UNAUTHORIZED_ID", "CROSS_ORIGIN", "READ_ONLY_VIEW"]],
    [404, ["UNKNOWN_DATASET", "DB_NOT_FOUND", "UNKNOWN_BUILD", "NOT_FOUND"]],
    [405, ["METHOD_NOT_ALLOWED"]],
    [410, ["INVALID_LINK"]],
    [413, ["TOO_LARGE"]],
    [415, ["UNSUPPORTED_MEDIA_TYPE"]],
    [429, ["RATE_LIMITED"]],
    [500, ["INTERNAL"]],
    [503, ["NOT_AVAILABLE"]],
  ] as const)("with status %i match the interface", (status, codes) => {
    for (const code of codes) expect(ERRORS[code].status).toBe(status);
  });

  it("each have a one-line meaning", () => {
    for (const { meaning } of Object.values(ERRORS)) expect(meaning).toMatch(/^[^\n]{10,}\.$/);
  });
});
