/** Values that the console needs at run time. They are apart from the schemas, which browsers should not have to load. */

/** File formats a database can be built in. */
export const FORMATS = ["csvgz", "mmdb"] as const;

/** Files that a build can have: one in each format, and a sample of each. */
export const FILE_KINDS = ["csvgz", "mmdb", "sample_csvgz", "sample_mmdb"] as const;

/** States of a request for access. */
export const REQUEST_STATES = ["pending", "granted", "declined"] as const;

/** The longest message of a request for access, and of the reply, in characters. */
export const ACCESS_MESSAGE_MAX_LENGTH = 2000;

/** How many builds of a database stay in a customer's bucket. */
export const BUILDS_KEPT = { minimum: 1, default: 2, maximum: 100 } as const;

/** What the fields of a destination look like. */
export const DESTINATION_PATTERNS = {
  bucket: "^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$",
  prefix: "^$|^[A-Za-z0-9_][A-Za-z0-9_.=-]*(/[A-Za-z0-9_][A-Za-z0-9_.=-]*)*$",
  region: "^[a-z0-9][a-z0-9-]{0,30}$",
  roleArn: "^arn:[a-z0-9-]+:iam::[0-9A-Za-z]*:role/[A-Za-z0-9+=,.@_/-]+$",
  accessKeyId: "^[!-~]{1,128}$",
  family: "^[a-zA-Z0-9_]{1,64}$",
} as const;

/** How many days a program's key lives after each renewal. */
export const ACCESS_DAYS = [1, 7, 30, 90, 365] as const;

/** Why a sign-in failed: `problem` in the URL of the sign-in page, to which the browser is sent back. */
const SIGN_IN_PROBLEMS = [
  "provider_unreachable",
  "sign_in_failed",
  "declined",
  "email_not_verified",
  "no_account",
  "other_identity",
  "account_disabled",
  "too_many_attempts",
] as const;
export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];

export function isSignInProblem(value: unknown): value is SignInProblem {
  return SIGN_IN_PROBLEMS.includes(value as SignInProblem);
}
