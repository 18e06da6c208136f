import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { modelTable } from "../model.ts";

it("docs/operate/sizing.md shows what the model computes", async () => {
  const page = await readFile(new URL("../../../docs/operate/sizing.md", import.meta.url), "utf8");
  expect(page).toContain(modelTable([1000, 100_000]));
});
