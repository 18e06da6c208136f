import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { VERSION } from "../src/index.ts";
import { wireTypes } from "../types.ts";

it("the types are those of the contract: else run `npm run types -w client`", async () => {
  expect(await readFile(new URL("../src/wire.ts", import.meta.url), "utf8")).toBe(wireTypes());
});

it("the version is the package's", async () => {
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  expect(VERSION).toBe(version);
});
