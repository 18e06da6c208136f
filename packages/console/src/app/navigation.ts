import type { Role } from "@dbdepot/contract/console/accounts";
import {
  IconBuilding,
  IconCertificate,
  IconClipboardList,
  IconDatabase,
  IconHelpCircle,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconPackages,
  IconSettings,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";

/** The pages in the sidebar, each with the roles that may use it. The first one of a role is its start page. */
const NAVIGATION = [
  { to: "/databases", label: "Databases", icon: IconDatabase, roles: ["admin", "viewer"] },
  { to: "/keys", label: "API keys", icon: IconKey, roles: ["admin"] },
  { to: "/webhooks", label: "Webhooks", icon: IconWebhook, roles: ["admin"] },
  { to: "/history", label: "History", icon: IconHistory, roles: ["admin", "viewer"] },
  { to: "/licences", label: "Licences", icon: IconCertificate, roles: ["admin", "viewer"] },
  { to: "/team", label: "Team", icon: IconUsers, roles: ["admin"] },
  { to: "/overview", label: "Overview", icon: IconLayoutDashboard, roles: ["operator", "operator_viewer"] },
  { to: "/catalogue", label: "Catalogue", icon: IconPackages, roles: ["operator", "operator_viewer"] },
  { to: "/organizations", label: "Organizations", icon: IconBuilding, roles: ["operator", "operator_viewer"] },
  { to: "/why", label: "Why", icon: IconHelpCircle, roles: ["operator", "operator_viewer"] },
  { to: "/operator-history", label: "History", icon: IconHistory, roles: ["operator", "operator_viewer"] },
  { to: "/audit", label: "Audit log", icon: IconClipboardList, roles: ["operator", "operator_viewer"] },
  { to: "/legacy-keys", label: "Legacy keys", icon: IconKey, roles: ["operator", "operator_viewer"] },
  { to: "/accounts", label: "Accounts", icon: IconUsers, roles: ["operator", "operator_viewer"] },
  { to: "/settings", label: "Settings", icon: IconSettings, roles: ["operator", "operator_viewer"] },
] as const satisfies { to: string; label: string; icon: typeof IconKey; roles: readonly Role[] }[];

export function navigationFor(role: Role) {
  return NAVIGATION.filter(({ roles }) => (roles as readonly Role[]).includes(role));
}

export function startPageOf(role: Role) {
  return navigationFor(role)[0]?.to ?? "/account";
}
