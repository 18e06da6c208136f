import type { EventType } from "@dbdepot/contract/v2/events";
import type { MessageType } from "@dbdepot/contract/v2/webhooks";
import type { MailKind, MailState } from "../../../domain/mail/outgoing-mail.ts";
import type { DeliveryOutcome, DeliveryTrigger, DisabledReason } from "../../../domain/webhooks/webhook.ts";
import type { Claimable, Json, Revised, Time } from "./columns.ts";

/** Events, and how customers are told about them. */
export interface EventTables {
  events: Revised & {
    id: string;
    type: EventType;
    organization_id: string | null;
    base: string | null;
    data: Json;
    created: Time;
  };
  webhook_endpoints: Claimable & {
    id: string;
    organization_id: string;
    url: string;
    description: string;
    event_types: Json | null;
    /** Stored in plain text, because requests are signed with it. */
    secret: string;
    old_secret: string | null;
    old_secret_until: Time | null;
    created: Time;
    disabled: Time | null;
    disabled_reason: DisabledReason | null;
    position_revision: number;
    position_id: string;
    attempts: number;
    first_attempt: Time | null;
    next_attempt: Time | null;
    failing_since: Time | null;
    last_delivered: Time | null;
  };
  webhook_deliveries: {
    id: string;
    webhook_id: string;
    event_id: string;
    event_type: MessageType;
    attempt: number;
    trigger: DeliveryTrigger;
    outcome: DeliveryOutcome;
    http_status: number | null;
    error: string | null;
    duration_ms: number;
    created: Time;
    /** Null if an earlier version sent the request. */
    request: Json | null;
    response: Json | null;
  };
  notice_recipients: {
    account_id: string;
    token: string;
    off: Json;
    digested: Time | null;
    position_revision: number | null;
    position_id: string | null;
  };
  outbox: Claimable & {
    id: string;
    kind: MailKind;
    /** Empty if it is removed with no account. */
    account_id: string;
    recipient: string;
    about: string | null;
    /** Empty, like the rest of the content, if the content is made for each attempt. */
    subject: string;
    text: string;
    html: string;
    unsubscribe_url: string;
    created: Time;
    state: MailState | "unwritten";
    attempts: number;
    next_attempt: Time | null;
    begun: Time | null;
    error: string | null;
  };
}
