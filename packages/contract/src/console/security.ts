import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { Name } from "./accounts.ts";

/** Passkeys and recovery codes, in /api/console requests and responses. */

const Time = Type.String({ format: "date-time" });

/** The response of an authenticator, as JSON. */
const Credential = Type.Record(Type.String(), Type.Unknown(), {
  description: "What `navigator.credentials` returned, as JSON.",
});

const ChallengeToken = Type.String({
  maxLength: 200,
  description: "The `token` that came with the options.",
  examples: ["Zk3v9Xq2aPf0s7LmYtRbWcUeHgNdJiKoQxVz1234567"],
});

const PasskeyName = Type.String({ ...Name, description: "A name to recognize it by.", examples: ["Blue key"] });

const RecoveryCodes = Type.Array(Type.String({ examples: ["k3vx-9mqa-p2fs-7hyt"] }), {
  description: "Codes that each replace a passkey once. They are returned only in this response.",
});

export const OwnPasskey = closedObject("OwnPasskey", "One of your passkeys.", {
  id: Type.String(),
  name: PasskeyName,
  created: Type.String({ ...Time, description: "When you added it." }),
  last_used: Type.Union([Time, Type.Null()], { description: "When you last signed in with it, or null." }),
  signs_in_alone: Type.Boolean({
    description: "Whether it signs you in without your password. False if you have no password.",
  }),
});
export type OwnPasskey = Static<typeof OwnPasskey>;

export const AccountSecurity = closedObject("AccountSecurity", "How you sign in.", {
  has_password: Type.Boolean({ description: "Whether you have a password." }),
  two_factor_required: Type.Boolean({ description: "Whether your password needs a second factor." }),
  passkeys: Type.Array(OwnPasskey, { description: "Your passkeys, oldest first." }),
  recovery_codes: Type.Integer({ minimum: 0, description: "How many unused recovery codes you have." }),
});
export type AccountSecurity = Static<typeof AccountSecurity>;

export const PasskeyCreation = closedObject("PasskeyCreation", "What the browser needs to create a passkey.", {
  token: ChallengeToken,
  options: Type.Record(Type.String(), Type.Unknown(), {
    description: "The options for `navigator.credentials.create()`, as JSON.",
  }),
});
export type PasskeyCreation = Static<typeof PasskeyCreation>;

export const AddPasskeyRequest = closedObject("AddPasskeyRequest", "The passkey that the browser has created.", {
  token: ChallengeToken,
  name: PasskeyName,
  response: Credential,
});
export type AddPasskeyRequest = Static<typeof AddPasskeyRequest>;

export const AddedPasskey = closedObject("AddedPasskey", "The new passkey.", {
  passkey: OwnPasskey,
  recovery_codes: Type.Union([RecoveryCodes, Type.Null()], {
    description: "Codes that each replace a passkey once, with your first passkey only. They are never returned again.",
  }),
});
export type AddedPasskey = Static<typeof AddedPasskey>;

export const UsedPasskey = closedObject("UsedPasskey", "What a passkey has signed.", {
  token: ChallengeToken,
  response: Credential,
});
export type UsedPasskey = Static<typeof UsedPasskey>;

export const Confirmation = closedObject(
  "Confirmation",
  "Proves that it is you: your password or one of your passkeys. Neither if you have no password and have signed in within the last 15 minutes.",
  {
    password: Type.Optional(
      Type.String({ maxLength: 1000, description: "Your password.", examples: ["correct horse battery staple"] }),
    ),
    passkey: Type.Optional(UsedPasskey),
  },
);
export type Confirmation = Static<typeof Confirmation>;

export const PasskeyUse = closedObject("PasskeyUse", "What the browser needs to use a passkey.", {
  token: ChallengeToken,
  options: Type.Record(Type.String(), Type.Unknown(), {
    description: "The options for `navigator.credentials.get()`, as JSON.",
  }),
});
export type PasskeyUse = Static<typeof PasskeyUse>;

export const NewRecoveryCodes = closedObject("NewRecoveryCodes", "New recovery codes. The old ones stop working.", {
  recovery_codes: RecoveryCodes,
});
export type NewRecoveryCodes = Static<typeof NewRecoveryCodes>;

export const SecondFactorAnswer = closedObject("SecondFactorAnswer", "Either `response` or `code`.", {
  token: ChallengeToken,
  response: Type.Optional(Credential),
  code: Type.Optional(
    Type.String({ maxLength: 100, description: "A recovery code.", examples: ["k3vx-9mqa-p2fs-7hyt"] }),
  ),
});
export type SecondFactorAnswer = Static<typeof SecondFactorAnswer>;

export const RenameRequest = closedObject("RenameRequest", "Your new name.", { name: Name });
export type RenameRequest = Static<typeof RenameRequest>;
