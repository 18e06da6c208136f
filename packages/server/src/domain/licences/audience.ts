import type { Family } from "../catalogue/family.ts";
import type { Event } from "../events/event.ts";
import type { Licence } from "./licence.ts";
import { isVisible, standingOf } from "./standing.ts";

/** The event's family, and the organization's licences for it. */
export interface Holding {
  family: Family;
  /** All licences of the organization for the family. */
  licences: readonly Licence[];
}

/** Whether an organization receives an event: its own ones, and those of families it may download at this moment. */
export function isFor(
  event: Pick<Event, "organizationId">,
  organizationId: string,
  holding: Holding | undefined,
  now: Date,
): boolean {
  if (event.organizationId !== null) return event.organizationId === organizationId;
  if (!holding || !isVisible(holding.family, holding.licences)) return false;
  return holding.family.open || standingOf(holding.licences, now).standing === "licensed";
}
