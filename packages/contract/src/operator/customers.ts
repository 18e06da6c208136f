import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { listOf, textOrNull } from "./fields.ts";
import { closedQuery, organizationFilter } from "./queries.ts";

/** Customers of another system: organizations with their licences, accounts and keys, in one file. */

/** The largest file that the operator API accepts. The command line accepts larger ones. */
export const CUSTOMERS_MAX_BYTES = 4 * 1024 * 1024;

export const ImportQuery = closedQuery({
  dry_run: Type.Optional(Type.Boolean({ description: "Only return what would change." })),
});
export type ImportQuery = Static<typeof ImportQuery>;

const RecordKind = Type.Enum(["organization", "licence", "account", "key", "legacy_key"], {
  description: "What the record is about.",
});

const FieldChange = closedObject("FieldChange", "A field that changes.", {
  field: Type.String(),
  before: textOrNull("Its value in the database, or null if it has none."),
  after: textOrNull("Its value in the file, or null if it has none."),
});

export const ImportedChange = closedObject("ImportedChange", "Something that an import creates or changes.", {
  action: Type.Enum(["create", "change"]),
  kind: RecordKind,
  line: Type.Integer({ description: "The line of the file on which the record begins." }),
  organization: Type.String({ description: "The name of the organization." }),
  external_id: textOrNull("The external id of the organization."),
  subject: Type.String({
    description:
      "The name of the organization or key, the family of the licence, or the e-mail address of the account.",
  }),
  fields: listOf(FieldChange, "The fields that change."),
  creates_secret: Type.Optional(Type.Boolean({ description: "Whether the key gets a new secret." })),
});
export type ImportedChange = Static<typeof ImportedChange>;

export const NewSecret = closedObject(
  "NewSecret",
  "The secret of a key that an import created. It is shown only once.",
  {
    organization: textOrNull("The external id of the organization."),
    organization_name: Type.String(),
    name: Type.String({ description: "The name of the key." }),
    key_prefix: Type.String(),
    key: Type.String({ description: "The secret." }),
  },
);
export type NewSecret = Static<typeof NewSecret>;

const SkippedRecord = closedObject("SkippedRecord", "An account that an import does not create.", {
  line: Type.Integer({ description: "The line of the file on which the record begins." }),
  organization: Type.String({ description: "The name of the organization." }),
  email: Type.String({ description: "The e-mail address in the file." }),
});

export const CustomersImport = closedObject("CustomersImport", "What an import changes.", {
  dry_run: Type.Boolean({ description: "Whether nothing was changed, because it was only asked for." }),
  changes: listOf(ImportedChange, "In the order of the file."),
  unchanged: Type.Integer({ description: "Number of records that equal the database." }),
  skipped: listOf(
    SkippedRecord,
    "Accounts that are not created, because the person was erased. To let someone return, invite them by hand.",
  ),
  left_alone: closedObject(
    "LeftAlone",
    "How many things the database has, but not the file. They stay as they are: organizations, and what the organizations of the file have.",
    {
      organization: Type.Integer(),
      licence: Type.Integer(),
      account: Type.Integer(),
      key: Type.Integer(),
      legacy_key: Type.Integer(),
    },
  ),
  secrets: listOf(NewSecret, "The secrets of new keys, only in this response. Empty for a dry run."),
});
export type CustomersImport = Static<typeof CustomersImport>;

export const ExportQuery = closedQuery({
  org: organizationFilter,
  format: Type.Optional(Type.Enum(["json", "csv"], { description: "The format of the file (default: json)." })),
});
export type ExportQuery = Static<typeof ExportQuery>;
