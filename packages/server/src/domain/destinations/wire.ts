import type { OperatorDestination, OrganizationDestinations } from "@dbdepot/contract/operator/destinations";
import type * as wire from "@dbdepot/contract/v2/destinations";
import type { Rules } from "../store.ts";
import {
  type BucketDelivery,
  type DeliveredDatabase,
  type DeliveryPermission,
  type Destination,
  objectKeyIn,
  ownershipPath,
} from "./destination.ts";
import { type DestinationChanges, type DestinationRequest, waysOf } from "./destinations.ts";
import type { TestStep } from "./try.ts";

export function destinationToWire(destination: Destination, databases: readonly DeliveredDatabase[]): wire.Destination {
  const { place, access, ownership, paused, progress } = destination;
  return {
    id: destination.id,
    ...place,
    access: access.way,
    role_arn: access.way === "role" ? access.roleArn : null,
    access_key_id: access.way === "keys" ? access.accessKeyId : null,
    encryption: destination.encryption,
    description: destination.description,
    families: destination.families && [...destination.families],
    formats: destination.formats && [...destination.formats],
    keep: destination.keep,
    ownership: {
      key: objectKeyIn(place, ownershipPath(destination)),
      content: ownership.token,
      verified: ownership.verified?.toISOString() ?? null,
    },
    enabled: paused === null,
    paused: paused?.at.toISOString() ?? null,
    paused_reason: paused?.reason ?? null,
    failing_since: progress.failingSince?.toISOString() ?? null,
    error: progress.error,
    last_delivered: progress.lastDelivered?.toISOString() ?? null,
    databases: databases
      .filter(({ destinationId }) => destinationId === destination.id)
      .map(({ versionId, buildId, refusal }) => ({ id: versionId, build_id: buildId, refused: refusal?.rc ?? null })),
    created: destination.created.toISOString(),
  };
}

export function destinationToOperatorWire(
  destination: Destination,
  databases: readonly DeliveredDatabase[],
): OperatorDestination {
  return { organization_id: destination.organizationId, ...destinationToWire(destination, databases) };
}

export function setupToWire(
  permission: DeliveryPermission | undefined,
  rules: Partial<Rules> | undefined,
): wire.DestinationSetup {
  return {
    allowed: (permission?.allowed ?? null) !== null,
    ways: waysOf(rules),
    principal: rules?.vendorIdentity?.principal ?? null,
    external_id: permission?.externalId ?? null,
    endpoint: rules?.vendorIdentity?.endpoint ?? null,
  };
}

export function permissionToWire(
  permission: DeliveryPermission,
  rules: Partial<Rules> | undefined,
): OrganizationDestinations {
  return { organization_id: permission.organizationId, ...setupToWire(permission, rules) };
}

export function testToWire(steps: readonly TestStep[]): wire.DestinationTest {
  return {
    ok: steps.every(({ error }) => error === undefined),
    steps: steps.map(({ step, error }) => ({
      step,
      ok: error === undefined,
      problem: error?.problem ?? null,
      error: error?.message ?? null,
    })),
  };
}

export function bucketDeliveryToWire({
  id,
  versionId,
  buildId,
  outcome,
  files,
  bytes,
  problem,
  error,
  durationMs,
  created,
}: BucketDelivery): wire.BucketDelivery {
  return {
    id,
    database_id: versionId,
    build_id: buildId,
    outcome,
    files,
    bytes,
    problem,
    error,
    duration_ms: durationMs,
    created: created.toISOString(),
  };
}

export function destinationRequestFromWire(request: wire.CreateDestinationRequest): DestinationRequest {
  const { role_arn: roleArn, access_key_id: accessKeyId, secret_access_key: secretAccessKey, ...same } = request;
  return { ...same, roleArn, accessKeyId, secretAccessKey };
}

/** Fields that the request omits are not changed. */
export function destinationChangesFromWire(request: wire.UpdateDestinationRequest): DestinationChanges {
  const {
    role_arn: roleArn,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    enabled,
    ...same
  } = request;
  return { ...same, roleArn, accessKeyId, secretAccessKey, isEnabled: enabled };
}
