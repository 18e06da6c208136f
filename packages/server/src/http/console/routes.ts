import * as accounts from "@dbdepot/contract/console/accounts";
import * as databases from "@dbdepot/contract/console/databases";
import { ConsoleDownloadList, ConsoleDownloadsQuery, Usage, UsageQuery } from "@dbdepot/contract/console/history";
import * as licences from "@dbdepot/contract/console/licences";
import * as links from "@dbdepot/contract/console/links";
import { OidcCallbackQuery, OidcStartQuery } from "@dbdepot/contract/console/oidc";
import { Overview } from "@dbdepot/contract/console/overview";
import * as security from "@dbdepot/contract/console/security";
import * as sessions from "@dbdepot/contract/console/sessions";
import { EffectiveSettings } from "@dbdepot/contract/console/settings";
import * as signIns from "@dbdepot/contract/console/sign-ins";
import { PersonalData } from "@dbdepot/contract/operator/privacy";
import { NoQuery } from "@dbdepot/contract/operator/queries";
import { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { endpoint } from "../endpoint.ts";
import type { Route } from "../route.ts";
import {
  listAccounts,
  patchAccount,
  postAccount,
  postAccountLink,
  postAccountMove,
  removeAccount,
} from "./accounts.ts";
import { getBuilds, getCurrentBuilds, getLookup, getMetadata } from "./databases.ts";
import { getUsage, listDownloads } from "./history.ts";
import { getAccessRequests, getLicences, postAccessRequest } from "./licences.ts";
import { inspectLink, postAcceptance, postPasswordReset, putPassword } from "./links.ts";
import { finishProviderSignIn, startProviderSignIn } from "./oidc.ts";
import { getOverview, getSettings } from "./overview.ts";
import {
  deleteSecondFactor,
  getOwnData,
  getSecurity,
  patchOwnAccount,
  postPasskey,
  postPasskeyOptions,
  postPasskeyRemoval,
  postRecoveryCodes,
  postSecondFactor,
} from "./security.ts";
import {
  deleteOwnSession,
  deleteSession,
  deleteView,
  getSession,
  listSessions,
  postSession,
  postView,
} from "./session.ts";
import { approveProgram, denyProgram, inspectProgram } from "./sign-ins.ts";

/** Roles that manage accounts. The actions check which accounts. */
const MANAGERS = ["operator", "admin"] as const;

/** Roles of people who belong to an organization. */
const CUSTOMERS = ["admin", "viewer"] as const;

/** Roles of the vendor's own people. */
const OPERATORS = ["operator", "operator_viewer"] as const;

/** Every endpoint about people and their sessions, with the roles that may use it. */
export const CONSOLE_ROUTES: readonly Route[] = [
  endpoint({
    method: "GET",
    url: "/api/console/session",
    scope: "public",
    respond: getSession,
    summary: "Get the current session",
    description: "Returns who is signed in, if anyone is, and how to sign in.",
    query: NoQuery,
    response: sessions.SessionState,
  }),
  endpoint({
    method: "POST",
    url: "/api/console/session",
    scope: "public",
    respond: postSession,
    summary: "Sign in",
    description:
      "Signs in with e-mail address and password and sets the session cookie. If the account has a passkey, no one is signed in yet: `second_factor` says what to send to `POST /api/console/session/second-factor`. Repeated failures for an account or from an address are answered with 429.",
    body: sessions.SignInRequest,
    response: sessions.SessionState,
    errors: ["INVALID_CREDENTIALS", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/session/second-factor",
    scope: "public",
    respond: postSecondFactor,
    summary: "Finish signing in with the second factor",
    description:
      "Verifies a passkey or a recovery code and sets the session cookie. Repeated failures are answered with 429, as for passwords.",
    body: security.SecondFactorAnswer,
    response: sessions.SessionState,
    errors: ["INVALID_CREDENTIALS", "RATE_LIMITED"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/oidc/start",
    scope: "public",
    respond: startProviderSignIn,
    summary: "Sign in with OpenID Connect",
    description:
      "Sends the browser to the OpenID Connect provider. If the provider cannot be reached, the browser returns to the sign-in page, which shows the `problem`.",
    query: OidcStartQuery,
    errors: ["NOT_FOUND"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/oidc/callback",
    scope: "public",
    respond: finishProviderSignIn,
    summary: "Finish signing in with OpenID Connect",
    description:
      "The provider sends the browser here. Sets the session cookie and continues to the console, or returns to the sign-in page, which shows the `problem`. Only people who have been invited can sign in.",
    query: OidcCallbackQuery,
    errors: ["NOT_FOUND"],
  }),
  endpoint({
    method: "DELETE",
    url: "/api/console/session",
    scope: "account",
    roles: accounts.ROLES,
    allowsMissingFactor: true,
    respond: deleteSession,
    summary: "Sign out",
    description: "Ends the current session and removes its cookie.",
  }),
  endpoint({
    method: "POST",
    url: "/api/console/view",
    scope: "account",
    roles: OPERATORS,
    respond: postView,
    summary: "View the console as a customer",
    description:
      "Shows an operator the console of an organization, as its admins see it, until they leave it or sign out. Changes and downloads get 403 `READ_ONLY_VIEW`. The audit log records both.",
    body: sessions.ViewRequest,
    response: sessions.SessionState,
    errors: ["NOT_FOUND", "CONFLICT"],
  }),
  endpoint({
    method: "DELETE",
    url: "/api/console/view",
    scope: "account",
    roles: accounts.ROLES,
    respond: deleteView,
    summary: "Leave the view of a customer",
    description: "Shows an operator their own console again. Leaving again has no effect.",
    response: sessions.SessionState,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/sessions",
    scope: "account",
    roles: accounts.ROLES,
    respond: listSessions,
    summary: "List your sessions",
    description: "Returns the browsers in which you are signed in, newest first.",
    query: NoQuery,
    response: sessions.SessionList,
  }),
  endpoint({
    method: "DELETE",
    url: "/api/console/sessions/:id",
    scope: "account",
    roles: accounts.ROLES,
    respond: deleteOwnSession,
    summary: "End one of your sessions",
    description: "Signs out one browser. Ending a session again has no effect.",
  }),
  endpoint({
    method: "POST",
    url: "/api/console/links/inspect",
    scope: "public",
    respond: inspectLink,
    summary: "Inspect a one-time link",
    description: "Returns what the link is for and for whom, without using it.",
    body: links.InspectLinkRequest,
    response: links.LinkDetails,
    errors: ["INVALID_LINK", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/links/accept",
    scope: "public",
    respond: postAcceptance,
    summary: "Use a one-time link",
    description:
      "Signs in. Invitations and password resets require a new password, which ends all other sessions of the account. The link works once.",
    body: links.AcceptLinkRequest,
    response: sessions.SessionState,
    errors: ["INVALID_LINK", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/password-resets",
    scope: "public",
    respond: postPasswordReset,
    summary: "Ask for a password reset",
    description:
      "Mails a link if there is an account with this address and the server can send e-mail. The response is always 202.",
    body: links.PasswordResetRequest,
    errors: ["RATE_LIMITED"],
  }),
  endpoint({
    method: "PUT",
    url: "/api/console/password",
    scope: "account",
    roles: accounts.ROLES,
    respond: putPassword,
    summary: "Change your password",
    description:
      "Changes the password and ends all your other sessions. People who sign in with OpenID Connect and have no password yet can set one within 15 minutes of signing in.",
    body: sessions.ChangePasswordRequest,
    errors: ["INVALID_CREDENTIALS", "CONFLICT", "RATE_LIMITED"],
  }),
  endpoint({
    method: "PATCH",
    url: "/api/console/account",
    scope: "account",
    roles: accounts.ROLES,
    respond: patchOwnAccount,
    summary: "Change your name",
    description: "Changes the name that others see.",
    body: security.RenameRequest,
    response: sessions.SessionAccount,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/account/data",
    scope: "account",
    roles: accounts.ROLES,
    respond: getOwnData,
    summary: "Download your data",
    description: "Returns everything that is stored about you, without secrets and without naming other people.",
    query: NoQuery,
    response: PersonalData,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/security",
    scope: "account",
    roles: accounts.ROLES,
    respond: getSecurity,
    summary: "Show how you sign in",
    description: "Returns whether you have a password, your passkeys, and how many recovery codes are left.",
    query: NoQuery,
    response: security.AccountSecurity,
  }),
  endpoint({
    method: "POST",
    url: "/api/console/passkeys/options",
    scope: "account",
    roles: accounts.ROLES,
    allowsMissingFactor: true,
    respond: postPasskeyOptions,
    summary: "Begin to add a passkey",
    description: "Returns what the browser needs to create a passkey, within five minutes.",
    response: security.PasskeyCreation,
    errors: ["CONFLICT"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/passkeys",
    scope: "account",
    roles: accounts.ROLES,
    allowsMissingFactor: true,
    respond: postPasskey,
    summary: "Add a passkey",
    description:
      "From then on, signing in with your password also needs a passkey or a recovery code. The first passkey comes with recovery codes and ends all your other sessions.",
    body: security.AddPasskeyRequest,
    response: security.AddedPasskey,
  }),
  endpoint({
    method: "POST",
    url: "/api/console/passkeys/:id/remove",
    scope: "account",
    roles: accounts.ROLES,
    respond: postPasskeyRemoval,
    summary: "Remove a passkey",
    description:
      "Removing the last passkey needs your password, and also removes the recovery codes. It is refused if your account needs a second factor.",
    body: security.RemovePasskeyRequest,
    errors: ["NOT_FOUND", "CONFLICT", "INVALID_CREDENTIALS", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/recovery-codes",
    scope: "account",
    roles: accounts.ROLES,
    respond: postRecoveryCodes,
    summary: "Get new recovery codes",
    description: "Returns ten new codes. The old ones stop working.",
    response: security.NewRecoveryCodes,
    errors: ["CONFLICT"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/accounts",
    scope: "account",
    roles: [...MANAGERS, "operator_viewer"],
    respond: listAccounts,
    summary: "List accounts",
    description:
      "Operators see all accounts, admins those of their organization. Ordered by e-mail address. The `Link` header points to the next page.",
    query: accounts.AccountsQuery,
    response: accounts.AccountList,
    errors: ["NOT_FOUND"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/accounts",
    scope: "account",
    roles: MANAGERS,
    respond: postAccount,
    summary: "Invite a person",
    description:
      "Creates an account and its invitation link, which is mailed if the server can send e-mail. Admins invite admins and viewers of their organization, 20 at once and then one every five minutes. They get the link only if it was not mailed. If the address has an account in another organization, the response to an admin is the same, but nothing is created; the person is told by e-mail.",
    body: accounts.InviteRequest,
    response: links.Invitation,
    errors: ["NOT_FOUND", "CONFLICT", "RATE_LIMITED"],
  }),
  endpoint({
    method: "PATCH",
    url: "/api/console/accounts/:id",
    scope: "account",
    roles: MANAGERS,
    respond: patchAccount,
    summary: "Change, disable or enable an account",
    description:
      "Disabling an account or changing its role ends its sessions. Nobody can do that to their own account.",
    body: accounts.UpdateAccountRequest,
    response: accounts.ConsoleAccount,
    errors: ["NOT_FOUND", "CONFLICT"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/accounts/:id/link",
    scope: "account",
    roles: MANAGERS,
    respond: postAccountLink,
    summary: "Issue a new link for an account",
    description:
      "Returns a new invitation if the person has not signed in yet, otherwise a password reset. Earlier links stop working. Admins get the link only if it was not mailed; it counts like an invitation.",
    response: links.IssuedLink,
    errors: ["NOT_FOUND", "CONFLICT", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/accounts/:id/move",
    scope: "account",
    roles: ["operator"],
    respond: postAccountMove,
    summary: "Move an account to another organization",
    description:
      "Ends the sessions of the account and removes its links and its password: issue a new link for it. The role stays the same.",
    body: accounts.MoveAccountRequest,
    response: accounts.ConsoleAccount,
    errors: ["NOT_FOUND", "CONFLICT"],
  }),
  endpoint({
    method: "DELETE",
    url: "/api/console/accounts/:id",
    scope: "account",
    roles: ["operator"],
    respond: removeAccount,
    summary: "Delete an account",
    description:
      "Ends its sessions and removes its links. The address can then be invited again. Nobody can delete their own account.",
    errors: ["NOT_FOUND", "CONFLICT"],
  }),
  endpoint({
    method: "DELETE",
    url: "/api/console/accounts/:id/second-factor",
    scope: "account",
    roles: ["operator"],
    respond: deleteSecondFactor,
    summary: "Reset someone's second factor",
    description:
      "Removes the passkeys and recovery codes of someone who has lost them, and ends their sessions. Make sure that it is really them who asks. Nobody can do that to their own account.",
    errors: ["NOT_FOUND", "CONFLICT"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/downloads",
    scope: "account",
    roles: CUSTOMERS,
    respond: listDownloads,
    summary: "List your organization's download attempts",
    description:
      "Newest first. The `Link` header points to the next page. With `format=csv` or `Accept: text/csv`, returns all matching attempts as one CSV file; values a spreadsheet would treat as formulas are prefixed with an apostrophe.",
    query: ConsoleDownloadsQuery,
    response: ConsoleDownloadList,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/usage",
    scope: "account",
    roles: accounts.ROLES,
    respond: getUsage,
    summary: "Count download attempts per day",
    description:
      "Returns granted downloads, refused attempts and bytes for every day of a period, in UTC. Operators see all organizations or one, others see their own.",
    query: UsageQuery,
    response: Usage,
    errors: ["NOT_FOUND"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/licences",
    scope: "account",
    roles: CUSTOMERS,
    respond: getLicences,
    summary: "List your licences",
    description: "Returns the past, current and future licences of your organization with their terms.",
    query: NoQuery,
    response: licences.OwnLicences,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/databases",
    scope: "account",
    roles: CUSTOMERS,
    respond: getCurrentBuilds,
    summary: "List the current builds of the catalogue",
    description:
      "Returns the columns, rows, sizes and date of the current build of every database that your organization can see, licensed or not.",
    query: NoQuery,
    response: databases.CurrentBuilds,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/databases/:id/metadata",
    scope: "account",
    roles: CUSTOMERS,
    respond: getMetadata,
    summary: "Describe a database",
    description:
      "Returns the metadata of the current build with its columns and a few rows, also if your organization has no licence.",
    query: NoQuery,
    response: DatabaseMetadata,
    errors: ["UNKNOWN_DATASET", "NOT_AVAILABLE"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/databases/:id",
    scope: "account",
    roles: CUSTOMERS,
    respond: getBuilds,
    summary: "List the builds of a database",
    description:
      "Returns the builds of a version that you may download, with rows, sizes and checksums, newest first. Builds that are no longer kept stay in the list.",
    query: NoQuery,
    response: databases.BuildHistory,
    errors: ["NOT_LICENSED", "LICENSE_EXPIRED", "UNKNOWN_DATASET"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/databases/:id/lookup",
    scope: "account",
    roles: CUSTOMERS,
    respond: getLookup,
    summary: "Look up an address",
    description:
      "Returns the record of an address in the current MMDB file, or in its sample if your organization has no licence.",
    query: databases.LookupQuery,
    response: databases.LookupResult,
    errors: ["INVALID_FORMAT", "NOT_LICENSED", "LICENSE_EXPIRED", "UNKNOWN_DATASET"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/access-requests",
    scope: "account",
    roles: CUSTOMERS,
    respond: getAccessRequests,
    summary: "List your requests for access",
    description: "Returns your organization's newest request for each family, with the vendor's answer.",
    query: NoQuery,
    response: licences.OwnRequests,
  }),
  endpoint({
    method: "POST",
    url: "/api/console/access-requests",
    scope: "account",
    roles: CUSTOMERS,
    respond: postAccessRequest,
    summary: "Request access to a database",
    description:
      "Asks the vendor for a licence for a family. The request is recorded, and sent by e-mail if the server can send e-mail and knows the vendor's address. While your organization waits for an answer, another request for the same family changes nothing. An organization can make 20 requests at once, and then one every five minutes.",
    body: licences.AccessRequest,
    response: licences.AccessRequested,
    errors: ["UNKNOWN_DATASET", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/sign-ins/inspect",
    scope: "account",
    roles: accounts.ROLES,
    respond: inspectProgram,
    summary: "Show a program that asks to be signed in",
    description:
      "Returns who asks, where from, and which access you can give it, by the code that the program shows or by the query with which it opened the browser. Wrong codes are limited by address and in total.",
    body: signIns.ProgramQuestion,
    response: signIns.ProgramRequest,
    errors: ["NOT_FOUND", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/sign-ins/approve",
    scope: "account",
    roles: ["operator", ...CUSTOMERS],
    respond: approveProgram,
    summary: "Sign a program in",
    description:
      "Lets the program get a key with the access that you have. Viewers can give it reading access only. Operators choose the organization. The sign-in ends with your account.",
    body: signIns.ApproveProgramRequest,
    response: signIns.ProgramDecided,
    errors: ["NOT_FOUND", "CONFLICT", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/sign-ins/deny",
    scope: "account",
    roles: accounts.ROLES,
    respond: denyProgram,
    summary: "Refuse to sign a program in",
    description: "Tells the program that you denied its request.",
    body: signIns.ProgramQuestion,
    response: signIns.ProgramDecided,
    errors: ["NOT_FOUND", "RATE_LIMITED"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/overview",
    scope: "account",
    roles: OPERATORS,
    respond: getOverview,
    summary: "Get the overview",
    description:
      "Returns what needs the operator's attention: requests for access, overdue builds, licences and evaluations that end, keys that are refused, and the health of the server that responds. Usage by day is at `/api/console/usage`.",
    query: NoQuery,
    response: Overview,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/settings",
    scope: "account",
    roles: OPERATORS,
    respond: getSettings,
    summary: "Get the settings",
    description:
      "Returns every setting of the server that responds, with the value in use and where it comes from. Secrets are never returned, and passwords in URLs are masked.",
    query: NoQuery,
    response: EffectiveSettings,
  }),
];
