import type { Role } from "@dbdepot/contract/console/accounts";
import {
  IconBuilding,
  IconCertificate,
  IconClipboardList,
  IconDatabase,
  IconHelpCircle,
  IconHistory,
  IconInbox,
  IconKey,
  IconLayoutDashboard,
  IconPackages,
  IconSettings,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";

const CUSTOMERS = ["admin", "viewer"] as const;
const OPERATORS = ["operator", "operator_viewer"] as const;

/** The pages in the sidebar, each with the roles that may use it. The first one of a role is its start page. */
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
  { to: "/licences", label: "Licences", icon: IconCertificate, roles: [...CUSTOMERS, ...OPERATORS] },
  { to: "/team", label: "Team", icon: IconUsers, roles: ["admin"] },
  { to: "/audit", label: "Audit log", icon: IconClipboardList, roles: OPERATORS },
  { to: "/legacy-keys", label: "Legacy keys", icon: IconKey, roles: OPERATORS },
  { to: "/accounts", label: "Accounts", icon: IconUsers, roles: OPERATORS },
  { to: "/settings", label: "Settings", icon: IconSettings, roles: OPERATORS },
] as const satisfies { to: string; label: string; icon: typeof IconKey; roles: readonly Role[] }[];

export function navigationFor(role: Role) {
  return NAVIGATION.filter(({ roles }) => (roles as readonly Role[]).includes(role));
}

export function startPageOf(role: Role) {
  return navigationFor(role)[0]?.to ?? "/account";
}
