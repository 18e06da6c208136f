import type { Route } from "../route.ts";
import { AUDIT_ROUTE } from "./audit.ts";
import { BUILD_ROUTES } from "./builds.ts";
import { FAMILY_ROUTES, VERSION_ROUTES } from "./catalogue.ts";
import { CUSTOMER_ROUTES } from "./customers.ts";
import { DESTINATION_ROUTES } from "./destinations.ts";
import { HISTORY_ROUTE } from "./history.ts";
import { JOB_ROUTES } from "./jobs.ts";
import { KEY_ROUTES } from "./keys.ts";
import { LEGACY_KEY_ROUTES } from "./legacy-keys.ts";
import { LICENCE_ROUTES } from "./licences.ts";
import { ORGANIZATION_ROUTES } from "./organizations.ts";
import { PRIVACY_ROUTES } from "./privacy.ts";
import { REQUEST_ROUTES } from "./requests.ts";
import { RETENTION_ROUTE } from "./retention.ts";
import { TERMS_ROUTES } from "./terms.ts";
import { USAGE_ROUTE } from "./usage.ts";
import { WEBHOOK_ROUTES } from "./webhooks.ts";
import { WHY_ROUTE } from "./why.ts";

/**
 * Every endpoint for operator keys, which belong to no organization. Each has the scope that a key needs for it, and no
 * scope implies another: a key with `operator.write` cannot publish, and a key with `builds.publish` can read its own
 * builds but needs `operator.read` for lists. docs/operate/operator-api.md describes them.
 */
export const OPERATOR_ROUTES: readonly Route[] = [
  ...ORGANIZATION_ROUTES,
  ...CUSTOMER_ROUTES,
  ...FAMILY_ROUTES,
  ...VERSION_ROUTES,
  ...LICENCE_ROUTES,
  ...TERMS_ROUTES,
  ...REQUEST_ROUTES,
  ...KEY_ROUTES,
  ...LEGACY_KEY_ROUTES,
  ...WEBHOOK_ROUTES,
  ...DESTINATION_ROUTES,
  HISTORY_ROUTE,
  USAGE_ROUTE,
  AUDIT_ROUTE,
  ...JOB_ROUTES,
  ...PRIVACY_ROUTES,
  RETENTION_ROUTE,
  WHY_ROUTE,
  ...BUILD_ROUTES,
];
