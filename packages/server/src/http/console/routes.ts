import type { Route } from "../route.ts";
import { ACCOUNT_ROUTES } from "./accounts.ts";
import { DATABASE_ROUTES } from "./databases.ts";
import { HISTORY_ROUTES } from "./history.ts";
import { LICENCE_ROUTES } from "./licences.ts";
import { LINK_ROUTES } from "./links.ts";
import { NOTICE_ROUTES } from "./notices.ts";
import { OIDC_ROUTES } from "./oidc.ts";
import { OVERVIEW_ROUTES } from "./overview.ts";
import { PASSKEY_SIGN_IN_ROUTES } from "./passkey-sign-in.ts";
import { PROGRAM_ROUTES } from "./programs.ts";
import { SECURITY_ROUTES } from "./security.ts";
import { SESSION_ROUTES } from "./session.ts";
import { TERMS_ROUTES } from "./terms.ts";

/** Every endpoint about people and their sessions, with the roles that may use it. docs/operate/accounts.md lists them. */
export const CONSOLE_ROUTES: readonly Route[] = [
  ...SESSION_ROUTES,
  ...OIDC_ROUTES,
  ...LINK_ROUTES,
  ...PASSKEY_SIGN_IN_ROUTES,
  ...SECURITY_ROUTES,
  ...NOTICE_ROUTES,
  ...ACCOUNT_ROUTES,
  ...HISTORY_ROUTES,
  ...LICENCE_ROUTES,
  ...TERMS_ROUTES,
  ...DATABASE_ROUTES,
  ...PROGRAM_ROUTES,
  ...OVERVIEW_ROUTES,
];
