import type { EventType } from "@dbdepot/contract/v2/events";

/** The label of each type, in the order of the form. */
const LABELS: Record<EventType, string> = {
  "build.published": "New build",
  "build.withdrawn": "Build withdrawn",
  "licence.granted": "Licence granted",
  "licence.renewed": "Licence renewed",
  "licence.ending": "Licence ends soon",
  "licence.ended": "Licence ended",
  "key.created": "Key created",
  "key.rotated": "Key rotated",
  "key.revoked": "Key revoked",
  "key.expiring": "Key expires soon",
  "access_request.created": "Access requested",
  "access_request.granted": "Access request granted",
  "access_request.declined": "Access request declined",
  "limit.near": "Limit nearly used up",
  "delivery.completed": "Build delivered to a bucket",
  "delivery.failed": "Delivery to a bucket failed",
};

export const EVENT_OPTIONS = Object.entries(LABELS).map(([value, label]) => ({ value, label }));

/** Types that this version of the console doesn't know are shown as they are. */
export function eventLabel(type: string): string {
  return type === "webhook.test" ? "Test" : (LABELS[type as EventType] ?? type);
}
