import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { VERSION } from "../src/index.ts";
import { wireTypes } from "../types.ts";

it("has the types of the contract (if not, run `npm run types -w @dbdepot/client`)", async () => {
  expect(await readFile(new URL("../src/api/wire.gen.ts", import.meta.url), "utf8")).toBe(wireTypes());
});

it("has the version of package.json", async () => {
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  expect(VERSION).toBe(version);
});
