import { describe, expect, it } from "vitest";
import type { Route } from "../../src/http/route.ts";
import { createRouter } from "../../src/http/router.ts";

const route = (method: Route["method"], url: string) => ({ method, url }) as Route;
const list = route("GET", "/things");
const add = route("POST", "/things");
const change = route("PATCH", "/things/:id");
const part = route("PUT", "/things/:id/parts/:part");
const find = createRouter([list, add, change, part]);

describe("the router finds", () => {
  it.each([
    ["GET", "/things", list, {}],
    ["HEAD", "/things", list, {}],
    ["POST", "/things", add, {}],
    ["GET", "/thing%73", list, {}],
    ["PATCH", "/things/7", change, { id: "7" }],
    ["PATCH", "/things/a%2Fb%20c", change, { id: "a/b c" }],
    ["PATCH", "/things/100%25", change, { id: "100%" }],
    ["PUT", "/things/7/parts/8", part, { id: "7", part: "8" }],
  ])("%s %s", (method, path, route, params) => {
    expect(find(method, path)).toEqual({ route, params });
  });
});

describe("the router finds nothing, or other methods only", () => {
  it.each([
    ["GET", "/", []],
    ["GET", "/things/", []],
    ["GET", "//things", []],
    ["GET", "/Things", []],
    ["GET", "/things%", []],
    ["PATCH", "/things/%ff", []],
    ["PATCH", `/things/${"x".repeat(101)}`, []],
    ["GET", "http://elsewhere/things", []],
    ["DELETE", "/things", ["GET", "HEAD", "POST"]],
    ["GET", "/things/7", ["PATCH"]],
    ["PATCH", "/things", ["GET", "HEAD", "POST"]],
  ])("%s %s", (method, path, allow) => {
    expect(find(method, path)).toEqual({ allow });
  });
});
