import Type, { type Static } from "typebox";
import { listParameters } from "../operator/queries.ts";
import { closedObject } from "../shared/closed-object.ts";

/** People who can sign in, in /api/console requests and responses. */

/** Roles of the vendor's people, who belong to no organization. */
export const OPERATOR_ROLES = ["operator", "operator_viewer"] as const;

/** Roles of a customer's people. */
export const CUSTOMER_ROLES = ["admin", "viewer"] as const;

export const ROLES = [...OPERATOR_ROLES, ...CUSTOMER_ROLES] as const;

export type Role = (typeof ROLES)[number];

export function isRole(value: unknown): value is Role {
  return ROLES.includes(value as Role);
}

export const PASSWORD_LENGTH = { minLength: 12, maxLength: 256 } as const;

export const EMAIL_MAX_LENGTH = 254;

export const PERSON_NAME_MAX_LENGTH = 100;

const NO_CONTROL_CHARACTERS = "^[^\\u0000-\\u001F\\u007F]*$";

const Time = Type.String({ format: "date-time" });

export const Email = Type.String({
  minLength: 3,
  maxLength: EMAIL_MAX_LENGTH,
  pattern: NO_CONTROL_CHARACTERS,
  description: "E-mail address. Case does not matter.",
  examples: ["ada@example.com"],
});

export const Name = Type.String({
  maxLength: PERSON_NAME_MAX_LENGTH,
  pattern: NO_CONTROL_CHARACTERS,
  description: `Name of the person, up to ${PERSON_NAME_MAX_LENGTH} characters.`,
  examples: ["Ada Lovelace"],
});

export const NewPassword = Type.String({
  ...PASSWORD_LENGTH,
  description: `New password, ${PASSWORD_LENGTH.minLength} to ${PASSWORD_LENGTH.maxLength} characters.`,
  examples: ["correct horse battery staple"],
});

export const RoleName = Type.Enum([...ROLES], {
  description:
    "`operator` and `operator_viewer` (read only) belong to the vendor; `admin` and `viewer` (no key or account management) belong to an organization.",
});

export const AccountOrganization = Type.Union(
  [
    closedObject("AccountOrganization", "The organization of an account.", {
      id: Type.String(),
      account_id: Type.Integer({
        description: "The organization as a number, for the `AccountID` of geoipupdate.",
        examples: [1632794429],
      }),
      name: Type.String({ examples: ["Acme"] }),
    }),
    Type.Null(),
  ],
  { description: "The account's organization, or null for the vendor's people." },
);

export const accountFields = {
  id: Type.String(),
  email: Type.String({ description: "E-mail address.", examples: ["ada@example.com"] }),
  name: Type.String({ description: "Name of the person. May be empty.", examples: ["Ada Lovelace"] }),
  role: RoleName,
  organization: AccountOrganization,
};

export const ConsoleAccount = closedObject("ConsoleAccount", "A person who can sign in to the console.", {
  ...accountFields,
  state: Type.Enum(["invited", "active", "disabled"], {
    description: "`invited`: has not signed in yet. `disabled`: cannot sign in.",
  }),
  created: Type.String({ format: "date-time", description: "When the person was invited." }),
  last_sign_in: Type.Union([Time, Type.Null()], { description: "Time of the last sign-in, or null before the first." }),
  disabled: Type.Union([Time, Type.Null()], { description: "When the account was disabled, or null if it is not." }),
});
export type ConsoleAccount = Static<typeof ConsoleAccount>;

export const ACCOUNT_SORTS = ["email", "name", "organization", "role", "created", "last_sign_in"] as const;
export type AccountSort = (typeof ACCOUNT_SORTS)[number];

export const AccountsQuery = closedObject("AccountsQuery", "Which accounts to list.", {
  org: Type.Optional(
    Type.String({
      maxLength: 1000,
      pattern: NO_CONTROL_CHARACTERS,
      description: "Organization id or exact name.",
      examples: ["Acme"],
    }),
  ),
  ...listParameters(ACCOUNT_SORTS, "the name, the e-mail address and the name of the organization"),
});
export type AccountsQuery = Static<typeof AccountsQuery>;

export const AccountList = closedObject("AccountList", "One page of accounts.", {
  accounts: Type.Array(ConsoleAccount, { description: "Ordered by e-mail address unless `sort` says otherwise." }),
});
export type AccountList = Static<typeof AccountList>;

export const InviteRequest = closedObject("InviteRequest", "The person to invite.", {
  email: Email,
  name: Type.Optional(Name),
  role: RoleName,
  organization: Type.Optional(
    Type.String({
      maxLength: 1000,
      pattern: NO_CONTROL_CHARACTERS,
      description:
        "Id or exact name of the organization, for `admin` and `viewer`. Defaults to your own organization if you have one.",
      examples: ["Acme"],
    }),
  ),
});
export type InviteRequest = Static<typeof InviteRequest>;

export const UpdateAccountRequest = closedObject(
  "UpdateAccountRequest",
  "Fields to change. Omitted fields keep their values.",
  {
    disabled: Type.Optional(
      Type.Boolean({ description: "Whether the person can sign in. Disabling ends all sessions." }),
    ),
    role: Type.Optional(RoleName),
    name: Type.Optional(Name),
  },
);
export type UpdateAccountRequest = Static<typeof UpdateAccountRequest>;

export const MoveAccountRequest = closedObject("MoveAccountRequest", "Where to move an account.", {
  organization: Type.String({
    maxLength: 1000,
    pattern: NO_CONTROL_CHARACTERS,
    description: "Id or exact name of the new organization.",
    examples: ["Globex"],
  }),
});
export type MoveAccountRequest = Static<typeof MoveAccountRequest>;
