import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";

/** Notifications by e-mail and people's choices, in /api/console requests and responses. */

export const NOTICE_TOPICS = ["licences", "terms", "keys", "builds", "webhooks", "requests", "limits"] as const;
export type NoticeTopic = (typeof NOTICE_TOPICS)[number];

const Topic = Type.Enum([...NOTICE_TOPICS], {
  description:
    "`licences`: licences that end soon or have ended. `terms`: terms that must be accepted before you can download. `keys`: keys that expire soon or have expired. `builds`: withdrawn builds. `webhooks`: webhooks that fail or were disabled, and deliveries to buckets that were paused. `requests`: customers' requests for licences. `limits`: limits that are nearly reached.",
});

const NoticeChoice = closedObject("NoticeChoice", "Whether you are notified of a topic.", {
  topic: Topic,
  enabled: Type.Boolean({ description: "Whether the daily e-mail contains it." }),
});

export const NoticeChoices = closedObject("NoticeChoices", "What you are notified of by e-mail.", {
  mail: Type.Boolean({ description: "Whether the server sends notifications at all." }),
  topics: Type.Array(NoticeChoice, {
    description: "The topics that your role is notified of; empty if there are none.",
  }),
});
export type NoticeChoices = Static<typeof NoticeChoices>;

export const ChangeNoticesRequest = closedObject("ChangeNoticesRequest", "Turns one topic on or off.", {
  topic: Topic,
  enabled: Type.Boolean({ description: "Whether to be notified of it." }),
});
export type ChangeNoticesRequest = Static<typeof ChangeNoticesRequest>;
