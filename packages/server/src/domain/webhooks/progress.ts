import type { Event } from "../events/event.ts";
import { hasFailedTooLong, retryAt } from "./schedule.ts";
import type { Delivery, DeliveryOutcome, DisabledReason, Progress } from "./webhook.ts";

/** The status with which a receiver refuses all further events. */
const GONE = 410;

/** The event needs no further attempt. */
export function handled(progress: Progress, event: Event): Progress {
  const position = { revision: event.revision, id: event.id };
  return { ...progress, position, attempts: 0, firstAttempt: null, nextAttempt: null };
}

interface AfterDelivery {
  progress: Progress;
  outcome: DeliveryOutcome;
  disable?: DisabledReason;
}

/** Computes the progress after a delivery of the next event. `random` is from 0 to 1. */
export function afterDelivery(
  progress: Progress,
  event: Event,
  { outcome, httpStatus, attempt, created }: Delivery,
  now: Date,
  random: number,
): AfterDelivery {
  if (outcome === "delivered") {
    return { progress: { ...handled(progress, event), failingSince: null, lastDelivered: created }, outcome };
  }
  const firstAttempt = progress.firstAttempt ?? created;
  const failingSince = progress.failingSince ?? created;
  const nextAttempt = retryAt(firstAttempt, attempt, now, random);
  const isGivenUp = httpStatus === GONE || hasFailedTooLong(failingSince, now);
  const disable = isGivenUp && { disable: httpStatus === GONE ? ("gone" as const) : ("failing" as const) };
  if (!nextAttempt || isGivenUp) {
    return { progress: { ...handled(progress, event), failingSince }, outcome: "given_up", ...disable };
  }
  return { progress: { ...progress, attempts: attempt, firstAttempt, nextAttempt, failingSince }, outcome };
}
