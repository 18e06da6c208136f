import type { Role } from "@dbdepot/contract/console/accounts";
import type { NoticeTopic } from "@dbdepot/contract/console/notices";

/** The topics of each role. Viewers get none, because they cannot do anything about them. */
const TOPICS: Record<Role, readonly NoticeTopic[]> = {
  admin: ["licences", "terms", "keys", "builds", "webhooks", "limits"],
  operator: ["licences", "requests", "limits"],
  viewer: [],
  operator_viewer: [],
};

export const TOPIC_TITLES: Record<NoticeTopic, string> = {
  licences: "Licences",
  terms: "Terms",
  keys: "API keys",
  builds: "Withdrawn builds",
  webhooks: "Webhooks",
  requests: "Access requests",
  limits: "Limits",
};

export function topicsOf(role: Role): readonly NoticeTopic[] {
  return TOPICS[role];
}

/** Roles that are notified of anything. */
export const NOTIFIED_ROLES = (Object.keys(TOPICS) as Role[]).filter((role) => TOPICS[role].length > 0);
