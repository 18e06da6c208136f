import type { Role } from "@dbdepot/contract/console/accounts";
import type { SessionAccount } from "@dbdepot/contract/console/sessions";
import {
  IconBucket,
  IconBuilding,
  IconCertificate,
  IconClipboardList,
  IconDatabase,
  IconFileText,
  IconHelpCircle,
  IconHistory,
  IconInbox,
  IconKey,
  IconLayoutDashboard,
  IconPackages,
  IconReportAnalytics,
  IconSettings,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";
import { isOperatorRole } from "./session.ts";

const CUSTOMERS = ["admin", "viewer"] as const;
const OPERATORS = ["operator", "operator_viewer"] as const;

/**
 * The pages in the sidebar, each with the roles that may use it and the pages below it. The first one of a role is its
 * start page.
 */
const NAVIGATION = [
  { to: "/overview", label: "Overview", icon: IconLayoutDashboard, roles: OPERATORS },
  { to: "/databases", label: "Databases", icon: IconDatabase, roles: CUSTOMERS },
  { to: "/keys", label: "API keys", icon: IconKey, roles: ["admin"] },
  { to: "/webhooks", label: "Webhooks", icon: IconWebhook, roles: ["admin"] },
  { to: "/destinations", label: "Destinations", icon: IconBucket, roles: ["admin"] },
  { to: "/catalogue", label: "Catalogue", icon: IconPackages, roles: OPERATORS, group: "Catalogue" },
  { to: "/terms", label: "Terms", icon: IconFileText, roles: OPERATORS, group: "Catalogue" },
  { to: "/organizations", label: "Organizations", icon: IconBuilding, roles: OPERATORS, group: "Customers" },
  { to: "/requests", label: "Requests", icon: IconInbox, roles: OPERATORS, group: "Customers" },
  { to: "/licences", label: "Licences", icon: IconCertificate, roles: OPERATORS, group: "Customers" },
  { to: "/legacy-keys", label: "Legacy keys", icon: IconKey, roles: OPERATORS, group: "Customers" },
  { to: "/history", label: "History", icon: IconHistory, roles: CUSTOMERS },
  { to: "/usage", label: "Usage", icon: IconReportAnalytics, roles: CUSTOMERS },
  { to: "/licences", label: "Licences", icon: IconCertificate, roles: CUSTOMERS },
  { to: "/terms", label: "Terms", icon: IconFileText, roles: CUSTOMERS },
  { to: "/team", label: "Team", icon: IconUsers, roles: ["admin"] },
  { to: "/history", label: "History", icon: IconHistory, roles: OPERATORS, group: "Activity" },
  { to: "/usage", label: "Usage", icon: IconReportAnalytics, roles: OPERATORS, group: "Activity" },
  { to: "/why", label: "Explain a download", icon: IconHelpCircle, roles: OPERATORS, group: "Activity" },
  { to: "/audit", label: "Audit log", icon: IconClipboardList, roles: OPERATORS, group: "Activity" },
  { to: "/accounts", label: "Accounts", icon: IconUsers, roles: OPERATORS, group: "Administration" },
  { to: "/settings", label: "Settings", icon: IconSettings, roles: OPERATORS, group: "Administration" },
] as const satisfies { to: string; label: string; icon: typeof IconKey; roles: readonly Role[]; group?: string }[];

export function navigationFor(role: Role) {
  return NAVIGATION.filter(({ roles }) => (roles as readonly Role[]).includes(role));
}

/** The same under the headings of the sidebar. Pages without a group come first, and have no heading. */
export function navigationGroups(role: Role) {
  return Map.groupBy(navigationFor(role), (page) => ("group" in page ? page.group : undefined));
}

/**
 * Says who may use a page instead of a person with this role, or nothing if they may use it. Pages outside of the
 * sidebar, such as the person's own account, are for everyone.
 */
export function refusalOf(pathname: string, { role, organization }: SessionAccount): string | undefined {
  const pages = NAVIGATION.filter(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  const roles: readonly Role[] = pages.flatMap((page) => [...page.roles]);
  if (pages.length === 0 || roles.includes(role)) return undefined;
  if (isOperatorRole(role)) {
    return "Only customers can use this page: open their organization under Organizations, or ask one of its admins.";
  }
  return roles.includes("admin")
    ? `Only admins of ${organization?.name ?? "your organization"} can use this page: ask one of them to do it for you or to make you an admin.`
    : "Only the operators of this service can use this page: ask them if you need something that it shows.";
}

export function startPageOf(role: Role) {
  return navigationFor(role)[0]?.to ?? "/account";
}
