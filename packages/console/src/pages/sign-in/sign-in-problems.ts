import type { SignInProblem } from "@dbdepot/contract/shared/choices";

/** Why signing in with the OpenID Connect provider failed, and what to do about it. docs/operate/console.md quotes the beginnings. */
export const SIGN_IN_PROBLEMS: Record<SignInProblem, string> = {
  provider_unreachable: "The sign-in service can't be reached. Try again later, or sign in with your password.",
  sign_in_failed: "Signing in didn't work, or took too long. Try again.",
  declined: "You cancelled signing in. Try again, or sign in with your password.",
  email_not_verified: "The sign-in service hasn't verified your e-mail address. Verify it there, and try again.",
  no_account:
    "There is no account for your e-mail address. Ask your vendor or your organization's admin for an invitation.",
  other_identity:
    "Your account belongs to another identity. Ask your vendor or your organization's admin for a reset link.",
  account_disabled: "Your account is disabled. Ask your vendor or your organization's admin.",
  too_many_attempts: "Too many attempts. Wait a minute, and try again.",
};
