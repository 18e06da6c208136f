import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";

/** The server's settings, in /api/console responses. */

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

export const EffectiveSetting = closedObject("EffectiveSetting", "A setting and its value.", {
  name: Type.String({ examples: ["DBDEPOT_PORT"] }),
  value: Type.Union(TextOrNull.anyOf, {
    description: "The value in use, with passwords in URLs masked. Null if it is empty or secret.",
    examples: ["8080"],
  }),
  is_set: Type.Boolean({ description: "Whether it comes from the environment. Otherwise it is the default." }),
  secret: Type.Boolean({ description: "Whether the value is secret. Then it is never returned." }),
  default: Type.Union(TextOrNull.anyOf, { description: "The default, or null if there is none." }),
  meaning: Type.String({ description: "What it is for." }),
});
export type EffectiveSetting = Static<typeof EffectiveSetting>;

export const EffectiveSettings = closedObject("EffectiveSettings", "The settings of the server that responds.", {
  version: Type.String({ description: "The version of the server.", examples: ["1.0.0"] }),
  commit: Type.Union([Type.String({ examples: ["3f786850e387"] }), Type.Null()], {
    description: "The commit that was built, or null if the server runs from source.",
  }),
  settings: Type.Array(EffectiveSetting, { description: "In the order of the documentation." }),
});
export type EffectiveSettings = Static<typeof EffectiveSettings>;
