import Type, { type Static } from "typebox";
import { PageQuery } from "../operator/queries.ts";
import { closedObject } from "../shared/closed-object.ts";

/** People and their sessions, in /api/console requests and responses. */

/** Roles of the vendor's people, who belong to no organization. */
export const OPERATOR_ROLES = ["operator", "operator_viewer"] as const;

/** Roles of a customer's people. */
const CUSTOMER_ROLES = ["admin", "viewer"] as const;

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
const Email = Type.String({
  minLength: 3,
  maxLength: EMAIL_MAX_LENGTH,
  pattern: NO_CONTROL_CHARACTERS,
  description: "E-mail address. Case does not matter.",
  examples: ["ada@example.com"],
});
const Name = Type.String({
  maxLength: PERSON_NAME_MAX_LENGTH,
  pattern: NO_CONTROL_CHARACTERS,
  description: `Name of the person, up to ${PERSON_NAME_MAX_LENGTH} characters.`,
  examples: ["Ada Lovelace"],
});
const NewPassword = Type.String({
  ...PASSWORD_LENGTH,
  description: `New password, ${PASSWORD_LENGTH.minLength} to ${PASSWORD_LENGTH.maxLength} characters.`,
  examples: ["correct horse battery staple"],
});
/** Not limited to valid passwords, so that a wrong one is answered like every other wrong one. */
const PresentedPassword = Type.String({
  maxLength: 1000,
  description: "Current password.",
  examples: ["correct horse battery staple"],
});
const LinkToken = Type.String({
  maxLength: 200,
  description: "The text after `#token=` in the link.",
  examples: ["Zk3v9Xq2aPf0s7LmYtRbWcUeHgNdJiKoQxVz1234567"],
});
const RoleName = Type.Enum([...ROLES], {
  description:
    "`operator` and `operator_viewer` (read only) belong to the vendor; `admin` and `viewer` (no key or account management) belong to an organization.",
});

const AccountOrganization = Type.Union(
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

const accountFields = {
  id: Type.String(),
  email: Type.String({ description: "E-mail address.", examples: ["ada@example.com"] }),
  name: Type.String({ description: "Name of the person. May be empty.", examples: ["Ada Lovelace"] }),
  role: RoleName,
  organization: AccountOrganization,
};

export const SessionAccount = closedObject("SessionAccount", "The account that is signed in.", accountFields);
export type SessionAccount = Static<typeof SessionAccount>;

const SignInMethods = closedObject("SignInMethods", "How people can sign in.", {
  password: Type.Boolean({ description: "With e-mail address and password.", default: true }),
  oidc: Type.Union(
    [
      closedObject("OidcProvider", "An OpenID Connect provider.", {
        name: Type.String({ description: "Name of the provider, for the button.", examples: ["Example ID"] }),
      }),
      Type.Null(),
    ],
    { description: "The OpenID Connect provider, or null if none is configured." },
  ),
});

export const SessionState = closedObject("SessionState", "Who is signed in, and facts about the server.", {
  account: Type.Union([SessionAccount, Type.Null()], {
    description: "The account that is signed in, or null if none is.",
  }),
  sign_in: SignInMethods,
  version: Type.Union([Type.String({ examples: ["0.1.0"] }), Type.Null()], {
    description: "Version of the server, or null before sign-in.",
  }),
  api_url: Type.String({ description: "URL of the API as customers see it.", examples: ["https://depot.example"] }),
  demo: Type.Boolean({ description: "Whether this server runs with example data." }),
});
export type SessionState = Static<typeof SessionState>;

export const SignInRequest = closedObject("SignInRequest", "The credentials of an account.", {
  email: Email,
  password: PresentedPassword,
});
export type SignInRequest = Static<typeof SignInRequest>;

const ConsoleSession = closedObject("ConsoleSession", "One browser that is signed in.", {
  id: Type.String(),
  current: Type.Boolean({ description: "Whether this request was made with it." }),
  created: Type.String({ format: "date-time", description: "When the person signed in." }),
  last_seen: Type.String({ format: "date-time", description: "Time of the last request, to within a minute." }),
  expires: Type.String({ format: "date-time", description: "When it ends unless it is used again." }),
  address: Type.String({ description: "Address it was created from.", examples: ["198.51.100.7"] }),
  user_agent: Type.String({
    description: "The browser's `User-Agent`, truncated to 512 characters.",
    examples: ["Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"],
  }),
});
export type ConsoleSession = Static<typeof ConsoleSession>;

export const SessionList = closedObject("SessionList", "Your sessions.", {
  sessions: Type.Array(ConsoleSession, { description: "Newest first." }),
});
export type SessionList = Static<typeof SessionList>;

export const LINK_PURPOSES = ["invitation", "reset", "sign_in"] as const;

export const InspectLinkRequest = closedObject("InspectLinkRequest", "The link to inspect.", { token: LinkToken });
export type InspectLinkRequest = Static<typeof InspectLinkRequest>;

export const LinkDetails = closedObject("LinkDetails", "What a one-time link is for.", {
  purpose: Type.Enum([...LINK_PURPOSES], {
    description:
      "`invitation` and `reset` set a password. `sign_in` signs in without one, on servers with example data only.",
  }),
  email: Type.String({ description: "E-mail address of the account.", examples: ["ada@example.com"] }),
  name: Type.String({ description: "Name of the person. May be empty.", examples: ["Ada Lovelace"] }),
  role: RoleName,
  organization: AccountOrganization,
  expires: Type.String({ format: "date-time", description: "When the link stops working." }),
});
export type LinkDetails = Static<typeof LinkDetails>;

export const AcceptLinkRequest = closedObject("AcceptLinkRequest", "Uses a one-time link and signs in.", {
  token: LinkToken,
  password: Type.Optional(NewPassword),
  name: Type.Optional(Name),
});
export type AcceptLinkRequest = Static<typeof AcceptLinkRequest>;

export const PasswordResetRequest = closedObject("PasswordResetRequest", "Who forgot the password.", { email: Email });
export type PasswordResetRequest = Static<typeof PasswordResetRequest>;

export const ChangePasswordRequest = closedObject("ChangePasswordRequest", "The current and the new password.", {
  current: PresentedPassword,
  password: NewPassword,
});
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>;

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

export const AccountsQuery = closedObject("AccountsQuery", "Which accounts to list.", {
  org: Type.Optional(
    Type.String({
      maxLength: 1000,
      pattern: NO_CONTROL_CHARACTERS,
      description: "Organization id or exact name.",
      examples: ["Acme"],
    }),
  ),
  ...PageQuery.properties,
});
export type AccountsQuery = Static<typeof AccountsQuery>;

export const AccountList = closedObject("AccountList", "One page of accounts.", {
  accounts: Type.Array(ConsoleAccount, { description: "Ordered by e-mail address." }),
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

const linkFields = {
  link: Type.Union(
    [
      Type.String({
        examples: ["https://depot.example/console/accept#token=Zk3v9Xq2aPf0s7LmYtRbWcUeHgNdJiKoQxVz1234567"],
      }),
      Type.Null(),
    ],
    {
      description:
        "The one-time link, which is returned only in this response, or null for an admin if it was sent by e-mail.",
    },
  ),
  expires: Type.String({ format: "date-time", description: "When the link stops working." }),
  mailed: Type.Boolean({ description: "Whether the link was sent by e-mail. If not, pass it on yourself." }),
};

export const Invitation = closedObject("Invitation", "A new account and its invitation.", {
  account: ConsoleAccount,
  ...linkFields,
});
export type Invitation = Static<typeof Invitation>;

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

export const IssuedLink = closedObject(
  "IssuedLink",
  "A new link: an invitation if the person has not signed in yet, otherwise a password reset.",
  { purpose: Type.Enum(["invitation", "reset"]), ...linkFields },
);
export type IssuedLink = Static<typeof IssuedLink>;
