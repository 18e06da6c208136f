import type { OperatorFamily } from "@dbdepot/contract/operator/catalogue";
import { StatusBadge } from "../../components/status-badge.tsx";

/** Who can see and download a family. Combines `visibility` and `open`, because an open family cannot be private. */
export type Access = "public" | "private" | "open";

export const ACCESS_NAMES: Record<Access, string> = { public: "Public", private: "Private", open: "Open" };

export const ACCESS_DESCRIPTIONS: Record<Access, string> = {
  public: "Every customer sees it. Downloads need a licence.",
  private: "Only customers who hold or held a licence for it see it.",
  open: "Every customer sees it and can download it without a licence.",
};

export function accessOf({ visibility, open }: OperatorFamily): Access {
  return open ? "open" : visibility;
}

export function AccessBadge({ family }: { family: OperatorFamily }) {
  const access = accessOf(family);
  return <StatusBadge tone={access === "open" ? "good" : "neutral"}>{ACCESS_NAMES[access]}</StatusBadge>;
}

export function ArchivedBadge() {
  return <StatusBadge tone="warning">Archived</StatusBadge>;
}
