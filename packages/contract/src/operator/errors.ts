import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";

/** Operators also get the reason: they may see all data, so the reason reveals nothing new. */
export const OperatorErrorBody = closedObject("OperatorErrorBody", "An error and its reason.", {
  rc: Type.String({ description: "A machine-readable error code. Clients must tolerate unknown codes." }),
  message: Type.Optional(Type.String({ description: "Human-readable explanation." })),
  reason: Type.Optional(
    Type.Enum(["faulty", "suspicious", "overtaken"], {
      description:
        "Why a build was not published. `faulty`: the files are invalid. `suspicious`: it differs too much from the current build or has other columns; `force` overrides. `overtaken`: another build was published in the meantime.",
    }),
  ),
  faults: Type.Optional(
    Type.Array(Type.String(), {
      description: "All problems found in the build, or in the file to import, each with its line.",
    }),
  ),
});
export type OperatorErrorBody = Static<typeof OperatorErrorBody>;
