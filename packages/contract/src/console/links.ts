import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { MailResult } from "../shared/mail.ts";
import { AccountOrganization, ConsoleAccount, Email, Name, NewPassword, RoleName } from "./accounts.ts";

/** One-time links: invitations, password resets and, on servers with example data, sign-ins. */

const LinkToken = Type.String({
  maxLength: 200,
  description: "The text after `#token=` in the link.",
  examples: ["Zk3v9Xq2aPf0s7LmYtRbWcUeHgNdJiKoQxVz1234567"],
});

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
        "The one-time link, which is returned only in this response, or null for an admin if the person gets one by e-mail.",
    },
  ),
  expires: Type.String({ format: "date-time", description: "When the link stops working." }),
  mailed: Type.Boolean({ description: "Whether a link was sent by e-mail." }),
  mail: MailResult,
};

export const Invitation = closedObject("Invitation", "A new account and its invitation.", {
  account: ConsoleAccount,
  ...linkFields,
});
export type Invitation = Static<typeof Invitation>;

export const IssuedLink = closedObject(
  "IssuedLink",
  "A new link: an invitation if the person has not signed in yet, otherwise a password reset.",
  { purpose: Type.Enum(["invitation", "reset"]), ...linkFields },
);
export type IssuedLink = Static<typeof IssuedLink>;
