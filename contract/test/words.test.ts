import { describe, expect, it } from "vitest";
import { isRedistribution } from "../src/catalogue.ts";
import { isOutcome } from "../src/downloads.ts";
import { ERRORS } from "../src/errors.ts";
import { fileName, isFormat } from "../src/formats.ts";
import { CUSTOMER_SCOPES, isOperatorScope, isScope, OPERATOR_SCOPES, SCOPES } from "../src/scopes.ts";

/** What is no word of any of the contract's lists, whatever it looks like. */
const NO_WORDS = ["", " csvgz", "CSVGZ", "toString", "constructor", "__proto__", null, undefined, 0, ["mmdb"], {}];

describe("scopes", () => {
  it("are the customer's or the operator's, never both", () => {
    expect(SCOPES).toEqual(["db.download", "apikeys.manage", "builds.publish", "operator.read", "operator.write"]);
    for (const scope of CUSTOMER_SCOPES) expect(isOperatorScope(scope)).toBe(false);
    for (const scope of OPERATOR_SCOPES) expect(isOperatorScope(scope)).toBe(true);
    for (const scope of SCOPES) expect(isScope(scope)).toBe(true);
  });

  it.each(["DB.DOWNLOAD", "db.*", "*", "db", "db.download ", "operator", ...NO_WORDS])("%j is none", (word) => {
    expect(isScope(word)).toBe(false);
  });
});

describe("the closed lists of the interface", () => {
  it.each([
    [isFormat, ["csvgz", "mmdb"]],
    [isOutcome, ["ok", "unauthorized", "denied", "expired", "unknown", "unavailable"]],
    [isRedistribution, ["evaluation", "internal", "redistribute"]],
  ])("%o knows its own words only", (isWord, words) => {
    for (const word of words) expect(isWord(word)).toBe(true);
    for (const word of NO_WORDS) expect(isWord(word)).toBe(false);
  });

  it("name a customer's file by its format", () => {
    expect(fileName("vpn_ip_v1", "csvgz")).toBe("vpn_ip_v1.csv.gz");
    expect(fileName("vpn_ip_v1", "mmdb")).toBe("vpn_ip_v1.mmdb");
  });
});

describe("result codes", () => {
  it.each([
    [400, ["INVALID_FORMAT", "INVALID_ID"]],
    [401, ["UNAUTHORIZED", "INVALID_APIKEY"]],
    [403, ["NOT_LICENSED", "LICENSE_EXPIRED", "UNAUTHORIZED_ID"]],
    [404, ["UNKNOWN_DATASET", "DB_NOT_FOUND", "UNKNOWN_BUILD", "NOT_FOUND"]],
    [405, ["METHOD_NOT_ALLOWED"]],
    [413, ["TOO_LARGE"]],
    [415, ["UNSUPPORTED_MEDIA_TYPE"]],
    [429, ["RATE_LIMITED"]],
    [500, ["INTERNAL"]],
    [503, ["NOT_AVAILABLE"]],
  ] as const)("with status %i are those of the interface and the decisions", (status, codes) => {
    for (const code of codes) expect(ERRORS[code].status).toBe(status);
  });

  it("each say in one line what they mean", () => {
    for (const { meaning } of Object.values(ERRORS)) expect(meaning).toMatch(/^[^\n]{10,}\.$/);
  });
});
