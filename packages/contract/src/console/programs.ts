import Type, { type Static } from "typebox";
import { ACCESS_DAYS } from "../shared/choices.ts";
import { closedObject } from "../shared/closed-object.ts";
import { CustomerScope } from "../shared/scopes.ts";

/** Programs that ask a person to sign them in, in /api/console requests and responses. */

const asked = {
  user_code: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "The code that the program shows. Case, spaces and hyphens do not matter.",
      examples: ["BCDFG-HJKLM"],
    }),
  ),
  authorization: Type.Optional(
    Type.String({
      maxLength: 16_000,
      description:
        "Instead of a code, the query of `/oauth/authorize` with which the program opened the browser, in base64url.",
    }),
  ),
};

export const ProgramQuestion = closedObject("ProgramQuestion", "Which program asks.", asked);
export type ProgramQuestion = Static<typeof ProgramQuestion>;

const nullableText = (description: string, example: string) =>
  Type.Union([Type.String({ examples: [example] }), Type.Null()], { description });

export const ProgramRequest = closedObject("ProgramRequest", "A program that asks to be signed in.", {
  program: Type.String({ description: "Name of the program.", examples: ["dbdepot"] }),
  user_code: nullableText("The code to compare with the one that the program shows, or null.", "BCDFG-HJKLM"),
  host: nullableText("The name that the program gives its machine, or null. It is not verified.", "build-7"),
  address: Type.String({ description: "Address that the program asks from.", examples: ["198.51.100.7"] }),
  is_same_network: Type.Boolean({ description: "Whether this browser has the same address or network." }),
  redirect: nullableText(
    "Where the browser continues, or null for the device flow.",
    "http://127.0.0.1:51004/callback",
  ),
  created: Type.String({ format: "date-time", description: "When the program asked." }),
  scopes: Type.Array(CustomerScope, { description: "The access that you can give it." }),
  refused_scopes: Type.Array(CustomerScope, {
    description: "Access that it also asks for, but that your role does not have.",
  }),
});
export type ProgramRequest = Static<typeof ProgramRequest>;

export const ApproveProgramRequest = closedObject("ApproveProgramRequest", "What a program may do.", {
  ...asked,
  organization: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "Id of the organization that the program may act for. Required of operators.",
      examples: ["019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11"],
    }),
  ),
  days: Type.Integer({
    minimum: 1,
    maximum: 365,
    description: `The program's key ends this many days after the program last renewed it: ${ACCESS_DAYS.join(", ")}.`,
    examples: [90],
  }),
});
export type ApproveProgramRequest = Static<typeof ApproveProgramRequest>;

export const ProgramDecided = closedObject("ProgramDecided", "Where to continue.", {
  redirect: nullableText(
    "Where to send the browser, or null if the person returns to the program.",
    "http://127.0.0.1:51004/callback?code=Zk3v9Xq2a",
  ),
});
export type ProgramDecided = Static<typeof ProgramDecided>;
