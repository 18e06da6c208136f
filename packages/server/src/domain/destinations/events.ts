import type { NewEvent } from "../events/events.ts";
import type { BucketDelivery, Destination } from "./destination.ts";
import { locationOf } from "./destination.ts";

export function completedEvent(
  { id: destinationId, organizationId, place }: Destination,
  base: string,
  { versionId, buildId, files, bytes }: BucketDelivery,
): NewEvent {
  return {
    type: "delivery.completed",
    organizationId,
    base,
    data: {
      destination_id: destinationId,
      location: locationOf(place),
      id: versionId,
      build_id: buildId,
      files,
      bytes,
    },
  };
}

export function failedEvent(
  { id: destinationId, organizationId, place, paused }: Destination,
  { versionId, buildId, problem, error }: BucketDelivery,
): NewEvent {
  return {
    type: "delivery.failed",
    organizationId,
    data: {
      destination_id: destinationId,
      location: locationOf(place),
      id: versionId,
      build_id: buildId,
      problem,
      error,
      paused: paused !== null,
    },
  };
}
