import type { Role } from "@dbdepot/contract/console/accounts";
import type { SessionAccount } from "@dbdepot/contract/console/sessions";
import {
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
  { to: "/catalogue", label: "Catalogue", icon: IconPackages, roles: OPERATORS },
  { to: "/organizations", label: "Organizations", icon: IconBuilding, roles: OPERATORS },
  { to: "/requests", label: "Requests", icon: IconInbox, roles: OPERATORS },
  { to: "/why", label: "Why", icon: IconHelpCircle, roles: OPERATORS },
  { to: "/databases", label: "Databases", icon: IconDatabase, roles: CUSTOMERS },
  { to: "/keys", label: "API keys", icon: IconKey, roles: ["admin"] },
  { to: "/webhooks", label: "Webhooks", icon: IconWebhook, roles: ["admin"] },
  { to: "/history", label: "History", icon: IconHistory, roles: [...CUSTOMERS, ...OPERATORS] },
  { to: "/usage", label: "Usage", icon: IconReportAnalytics, roles: [...CUSTOMERS, ...OPERATORS] },
  { to: "/licences", label: "Licences", icon: IconCertificate, roles: [...CUSTOMERS, ...OPERATORS] },
  { to: "/terms", label: "Terms", icon: IconFileText, roles: [...CUSTOMERS, ...OPERATORS] },
  { to: "/team", label: "Team", icon: IconUsers, roles: ["admin"] },
  { to: "/audit", label: "Audit log", icon: IconClipboardList, roles: OPERATORS },
  { to: "/legacy-keys", label: "Legacy keys", icon: IconKey, roles: OPERATORS },
  { to: "/accounts", label: "Accounts", icon: IconUsers, roles: OPERATORS },
  { to: "/settings", label: "Settings", icon: IconSettings, roles: OPERATORS },
] as const satisfies { to: string; label: string; icon: typeof IconKey; roles: readonly Role[] }[];

export function navigationFor(role: Role) {
  return NAVIGATION.filter(({ roles }) => (roles as readonly Role[]).includes(role));
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
