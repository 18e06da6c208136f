import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { accountFields, Email, NewPassword } from "./accounts.ts";

/** Signing in, and the browsers that are signed in. */

/** Also accepts passwords of an invalid length, so that they get the same response as any other wrong password. */
const PresentedPassword = Type.String({
  maxLength: 1000,
  description: "Current password.",
  examples: ["correct horse battery staple"],
});

export const SessionAccount = closedObject("SessionAccount", "The account that is signed in.", accountFields);
export type SessionAccount = Static<typeof SessionAccount>;

const SignInMethods = closedObject("SignInMethods", "How people can sign in.", {
  password: Type.Boolean({ description: "With e-mail address and password.", default: true }),
  mail: Type.Boolean({ description: "Whether people who forgot their password get a link by e-mail." }),
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

export const SecondFactorRequest = closedObject(
  "SecondFactorRequest",
  "What is still needed to sign in: a passkey or a recovery code.",
  {
    token: Type.String({ description: "Send it back with the second factor, within five minutes." }),
    options: Type.Record(Type.String(), Type.Unknown(), {
      description: "The options for `navigator.credentials.get()`, as JSON.",
    }),
  },
);
export type SecondFactorRequest = Static<typeof SecondFactorRequest>;

export const SessionState = closedObject("SessionState", "Who is signed in, and facts about the server.", {
  account: Type.Union([SessionAccount, Type.Null()], {
    description: "The account that is signed in, or null if none is.",
  }),
  second_factor: Type.Union([SecondFactorRequest, Type.Null()], {
    description:
      "Set if the password was right, but the account also needs its second factor. The person is not signed in until then.",
  }),
  needs_passkey: Type.Boolean({
    description: "Whether the person has to add a passkey before anything else, because the vendor requires one.",
  }),
  viewing_as: Type.Union(
    [
      closedObject("ViewedOrganization", "The organization whose console an operator views.", {
        id: Type.String(),
        name: Type.String({ examples: ["Acme"] }),
      }),
      Type.Null(),
    ],
    {
      description:
        "The organization whose console is shown to an operator, or null. Then `account` has the role and the organization that are shown.",
    },
  ),
  sign_in: SignInMethods,
  needs_operator: Type.Boolean({
    description:
      "Whether nobody can sign in yet, because no operator has been invited. False once someone is signed in.",
  }),
  version: Type.Union([Type.String({ examples: ["0.1.0"] }), Type.Null()], {
    description: "Version of the server, or null before sign-in.",
  }),
  api_url: Type.String({ description: "URL of the API as customers see it.", examples: ["https://depot.example"] }),
  demo: Type.Boolean({ description: "Whether this server runs with example data." }),
  link_regions: Type.Array(Type.String(), {
    description:
      "The regions that the links of an organization can lead to. Empty for customers, and if there is only one.",
  }),
  copied: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
    description:
      "When this server's database was restored or copied, if it sends no webhooks or e-mail until it is activated. Only the vendor's people are told.",
  }),
});
export type SessionState = Static<typeof SessionState>;

export const ViewRequest = closedObject("ViewRequest", "Whose console to view.", {
  organization: Type.String({
    maxLength: 1000,
    pattern: "^[^\\u0000-\\u001F\\u007F]*$",
    description: "Id or exact name of the organization.",
    examples: ["Acme"],
  }),
});
export type ViewRequest = Static<typeof ViewRequest>;

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

export const ChangePasswordRequest = closedObject("ChangePasswordRequest", "The current and the new password.", {
  current: Type.Optional(
    Type.String({ ...PresentedPassword, description: "Current password. Left out by people who have none yet." }),
  ),
  password: NewPassword,
});
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>;
