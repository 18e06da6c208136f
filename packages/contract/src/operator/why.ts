import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { Format } from "../shared/formats.ts";
import { FamilyName, KeyName, OrganizationName, RequestId } from "./fields.ts";
import { closedQuery } from "./queries.ts";

/** Why a download is granted or refused. */

export const WhyQuery = closedQuery({
  org: Type.Optional(OrganizationName),
  id: Type.Optional(
    Type.String({
      ...FamilyName,
      maxLength: 1000,
      description: "The database id the customer requests, valid or not.",
      examples: ["vpn_ip_v1"],
    }),
  ),
  request: Type.Optional(
    Type.String({
      ...RequestId,
      description: "The id of a download request, from `X-Request-Id`. It replaces all other parameters.",
    }),
  ),
  format: Type.Optional(Format),
  sample: Type.Optional(
    Type.Boolean({ default: false, description: "Whether the customer requests a sample instead of the full file." }),
  ),
  key: Type.Optional(Type.String({ ...KeyName, description: "The customer's key, by id or prefix." })),
});
export type WhyQuery = Static<typeof WhyQuery>;

const STEPS = ["organization", "key", "database", "licence", "terms", "format", "build", "limits"] as const;

const ExplanationStep = closedObject("ExplanationStep", "One check of the decision.", {
  name: Type.Enum([...STEPS], {
    description:
      "What was checked. `key` is omitted if no key was given, unless the organization has none that works; `limits` if it has none.",
  }),
  result: Type.Enum(["passed", "failed", "not_checked"], {
    description: "`not_checked`: an earlier check had failed.",
  }),
});
export type ExplanationStep = Static<typeof ExplanationStep>;

export const Explanation = closedObject("Explanation", "The response a download would get now, and why.", {
  granted: Type.Boolean(),
  status: Type.Integer({ description: "The HTTP status a download would get." }),
  rc: Type.Union([Type.String(), Type.Null()], {
    description: "The error code, or null if the download would be granted.",
  }),
  reason: Type.String({ description: "Human-readable explanation." }),
  facts: Type.Array(
    closedObject("Fact", "One fact the decision is based on.", { name: Type.String(), finding: Type.String() }),
    {
      description: "The facts the decision is based on.",
    },
  ),
  steps: Type.Array(ExplanationStep, { description: "The checks, in the order they are made. At most one failed." }),
});
export type Explanation = Static<typeof Explanation>;
