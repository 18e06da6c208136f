import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { listOf, textOrNull } from "./fields.ts";

/** The data that is stored about a person, and its erasure. */

export const PersonalData = closedObject("PersonalData", "Everything that is stored about a person.", {
  email: Type.String({ description: "The person's e-mail address." }),
  name: Type.String({ description: "The person's name, which may be empty." }),
  account_ids: Type.Array(Type.String(), {
    description: "The id of the account, and of earlier accounts with the same address.",
  }),
  exported: Type.String({ format: "date-time", description: "When the document was made." }),
  data: Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown())), {
    description:
      "Rows by the name of their table, without secrets. `keys_created` are the keys that the person created, which belong to the organization. Audit entries by others do not say who made them.",
  }),
});
export type PersonalData = Static<typeof PersonalData>;

const ErasedRows = closedObject("ErasedRows", "Rows of a table that are about the person.", {
  table: Type.String({ examples: ["account_sessions"] }),
  action: Type.Enum(["deleted", "anonymized"], { description: "What happens to them." }),
  count: Type.Integer(),
});

export const ErasurePlan = closedObject("ErasurePlan", "What erasing a person would do.", {
  email: Type.String({ description: "The person's e-mail address." }),
  account_id: textOrNull("The account, or null if the person has none any more."),
  rows: listOf(ErasedRows, "The rows that would be deleted or anonymized, by table."),
  last: Type.Union([Type.Enum(["operator", "admin"]), Type.Null()], {
    description: "Set if the person is the last operator, or the last admin of their organization.",
  }),
  warning: textOrNull("What is lost with the last operator or admin, or null."),
});
export type ErasurePlan = Static<typeof ErasurePlan>;

export const EraseRequest = closedObject("EraseRequest", "Confirms that a person is erased.", {
  even_last: Type.Optional(
    Type.Boolean({ description: "Also erase the last operator, or the last admin of an organization." }),
  ),
});
export type EraseRequest = Static<typeof EraseRequest>;

export const ErasedPerson = closedObject("ErasedPerson", "What was done.", {
  pseudonym: Type.String({
    description: "The name of the person in the audit log from now on.",
    examples: ["person-7f3a09c2d4e18b56"],
  }),
  rows: listOf(ErasedRows, "The rows that were deleted or anonymized, by table."),
});
export type ErasedPerson = Static<typeof ErasedPerson>;
