import type { Role } from "@dbdepot/contract/console/accounts";

export const ROLE_NAMES: Record<Role, string> = {
  operator: "Operator",
  operator_viewer: "Operator, read only",
  admin: "Admin",
  viewer: "Viewer",
};

export const ROLE_DESCRIPTIONS: Record<Role, string> = {
  operator: "Publishes builds, grants licences and manages all accounts",
  operator_viewer: "Sees everything and changes nothing",
  admin: "Downloads, manages keys and invites people",
  viewer: "Downloads and reads the history",
};
