import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { listOf, timeOrNull } from "./fields.ts";

/** The data that the retention settings remove. */

export const RETENTION_KINDS = ["builds", "history", "addresses", "events", "deliveries", "audit"] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

export const RetentionPreview = closedObject("RetentionPreview", "What one of the rules would remove now.", {
  kind: Type.Enum([...RETENTION_KINDS], { description: "What the rule is about." }),
  settings: Type.Array(Type.String(), {
    description: "The settings that define the rule.",
    examples: [["DBDEPOT_HISTORY_RETENTION_DAYS"]],
  }),
  rule: Type.String({
    description: "The rule in words.",
    examples: ["Download attempts are deleted after 365 days."],
  }),
  on: Type.Boolean({ description: "Whether anything is removed. If not, everything is kept." }),
  count: Type.Integer({ description: "How many builds or rows would be removed now." }),
  bytes: Type.Integer({ description: "The size of the builds' files, or of the contents of the rows." }),
  oldest: timeOrNull("When the oldest of them was created, or null if there is none."),
});
export type RetentionPreview = Static<typeof RetentionPreview>;

export const RetentionPreviews = closedObject("RetentionPreviews", "What the retention settings would remove now.", {
  rules: listOf(RetentionPreview, "One entry for each rule, also for those that are off."),
});
export type RetentionPreviews = Static<typeof RetentionPreviews>;
