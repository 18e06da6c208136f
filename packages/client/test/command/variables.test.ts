import { expect, it } from "vitest";
import { unknownSettings } from "../../../server/src/settings/settings.ts";
import { oldVariableOf, SETTINGS, type SettingName, variableOf } from "../../src/command/config/settings.ts";

it("uses variables that dbdepot-server accepts without a warning", () => {
  const names = [...(Object.keys(SETTINGS) as SettingName[]), "config" as const];
  const variables = names.flatMap((name) => [variableOf(name), oldVariableOf(name)]);
  expect(unknownSettings(Object.fromEntries(variables.map((name) => [name, "x"])))).toEqual([]);
});
