import { describe, expect, test } from "vitest";
import { isRangeMeant, judgePreconditions } from "../../src/transfers/preconditions.ts";

const object = { etag: '"tag"', modified: new Date("2026-03-01T12:00:00.789Z") };
const BEFORE = "Sun, 01 Mar 2026 11:59:59 GMT";
const THEN = "Sun, 01 Mar 2026 12:00:00 GMT";
const AFTER = "Sun, 01 Mar 2026 12:00:01 GMT";

test.each([
  [{}, "send"],
  [{ "if-none-match": '"tag"' }, "not_modified"],
  [{ "if-none-match": 'W/"tag"' }, "not_modified"],
  [{ "if-none-match": '"other", "tag"' }, "not_modified"],
  [{ "if-none-match": "*" }, "not_modified"],
  [{ "if-none-match": '"other"' }, "send"],
  [{ "if-none-match": "tag" }, "send"],
  [{ "if-modified-since": BEFORE }, "send"],
  [{ "if-modified-since": THEN }, "not_modified"],
  [{ "if-modified-since": AFTER }, "not_modified"],
  [{ "if-modified-since": "yesterday" }, "send"],
  [{ "if-match": '"tag"' }, "send"],
  [{ "if-match": '"other", "tag"' }, "send"],
  [{ "if-match": "*" }, "send"],
  [{ "if-match": '"other"' }, "failed"],
  [{ "if-match": 'W/"tag"' }, "failed"], // Strong comparison: half of a weak match may be other bytes.
  [{ "if-unmodified-since": BEFORE }, "failed"],
  [{ "if-unmodified-since": THEN }, "send"],
  [{ "if-unmodified-since": "yesterday" }, "send"],
  // A tag outranks a date.
  [{ "if-none-match": '"other"', "if-modified-since": AFTER }, "send"],
  [{ "if-match": '"tag"', "if-unmodified-since": BEFORE }, "send"],
  // Both kinds together.
  [{ "if-match": '"tag"', "if-none-match": '"tag"' }, "not_modified"],
  [{ "if-match": '"other"', "if-none-match": '"tag"' }, "failed"],
])("%o: %s", (headers, expected) => {
  expect(judgePreconditions(headers, object)).toBe(expected);
});

describe("If-Range", () => {
  test.each([
    [undefined, true],
    ['"tag"', true],
    [THEN, true],
    ['"other"', false],
    ['W/"tag"', false],
    [BEFORE, false],
    [AFTER, false],
    ["nonsense", false],
  ])("%s: %s", (ifRange, expected) => {
    expect(isRangeMeant({ "if-range": ifRange }, object)).toBe(expected);
  });
});
