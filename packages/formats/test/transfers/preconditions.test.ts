import { describe, expect, it } from "vitest";
import { allowsRange, evaluatePreconditions } from "../../src/transfers/preconditions.ts";

const object = { etag: '"tag"', modified: new Date("2026-03-01T12:00:00.789Z") };
const BEFORE = "Sun, 01 Mar 2026 11:59:59 GMT";
const SAME = "Sun, 01 Mar 2026 12:00:00 GMT";
const AFTER = "Sun, 01 Mar 2026 12:00:01 GMT";

describe("evaluatePreconditions", () => {
  it.each([
    [{}, "send"],
    [{ "if-none-match": '"tag"' }, "not_modified"],
    [{ "if-none-match": 'W/"tag"' }, "not_modified"],
    [{ "if-none-match": '"other", "tag"' }, "not_modified"],
    [{ "if-none-match": "*" }, "not_modified"],
    [{ "if-none-match": '"other"' }, "send"],
    [{ "if-none-match": "tag" }, "send"],
    [{ "if-modified-since": BEFORE }, "send"],
    [{ "if-modified-since": SAME }, "not_modified"],
    [{ "if-modified-since": AFTER }, "not_modified"],
    [{ "if-modified-since": "yesterday" }, "send"],
    [{ "if-match": '"tag"' }, "send"],
    [{ "if-match": '"other", "tag"' }, "send"],
    [{ "if-match": "*" }, "send"],
    [{ "if-match": '"other"' }, "failed"],
    [{ "if-match": 'W/"tag"' }, "failed"], // Strong comparison: a weak match does not guarantee the same bytes.
    [{ "if-unmodified-since": BEFORE }, "failed"],
    [{ "if-unmodified-since": SAME }, "send"],
    [{ "if-unmodified-since": "yesterday" }, "send"],
    // Tags take precedence over dates.
    [{ "if-none-match": '"other"', "if-modified-since": AFTER }, "send"],
    [{ "if-match": '"tag"', "if-unmodified-since": BEFORE }, "send"],
    // If-Match and If-None-Match together.
    [{ "if-match": '"tag"', "if-none-match": '"tag"' }, "not_modified"],
    [{ "if-match": '"other"', "if-none-match": '"tag"' }, "failed"],
  ])("given %o, decides: %s", (headers, expected) => {
    expect(evaluatePreconditions(headers, object)).toBe(expected);
  });
});

describe("allowsRange", () => {
  it.each([
    [undefined, true],
    ['"tag"', true],
    [SAME, true],
    ['"other"', false],
    ['W/"tag"', false],
    [BEFORE, false],
    [AFTER, false],
    ["nonsense", false],
  ])("given If-Range %s, returns %s", (ifRange, expected) => {
    expect(allowsRange({ "if-range": ifRange }, object)).toBe(expected);
  });
});
