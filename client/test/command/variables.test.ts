import { expect, it } from "vitest";
import { unknownSettings } from "../../../server/src/settings.ts";
import { SETTINGS } from "../../src/command/config/settings.ts";

it("uses variables that dbdepot-server accepts without a warning", () => {
  const variables = Object.values(SETTINGS).map(({ variable }) => variable);
  expect(unknownSettings(Object.fromEntries([...variables, "DBDEPOT_CONFIG"].map((name) => [name, "x"])))).toEqual([]);
});
