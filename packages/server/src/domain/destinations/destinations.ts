import { randomBytes } from "node:crypto";
import { BUILDS_KEPT } from "@dbdepot/contract/shared/choices";
import type { Format } from "@dbdepot/contract/shared/formats";
import {
  type AccessWay,
  DESTINATION_DESCRIPTION_MAX_LENGTH,
  DESTINATIONS_PER_ORGANIZATION as MAX_DESTINATIONS,
} from "@dbdepot/contract/v2/destinations";
import { conflict, Fault, invalid, notFound } from "../../platform/primitives/faults.ts";
import { isUuid, newId } from "../../platform/primitives/ids.ts";
import { record } from "../audit/audit.ts";
import { enqueue } from "../jobs/jobs.ts";
import type { Operation, Rules, Tables } from "../store.ts";
import { requirePublicUrl } from "../webhooks/url.ts";
import {
  type Access,
  type DeliveryPermission,
  type Destination,
  type Encryption,
  NO_PROGRESS,
  type Place,
} from "./destination.ts";

const TOKEN_BYTES = 24;
const EXTERNAL_ID_BYTES = 18;
const ENDPOINT_MAX_LENGTH = 200;

export interface DestinationRequest {
  bucket: string;
  prefix?: string | undefined;
  region: string;
  endpoint?: string | null | undefined;
  access: AccessWay;
  roleArn?: string | undefined;
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  encryption?: Encryption | null | undefined;
  description?: string | undefined;
  families?: readonly string[] | null | undefined;
  formats?: readonly Format[] | null | undefined;
  keep?: number | undefined;
}

/** Undefined fields are not changed. */
export type DestinationChanges = { [Name in keyof DestinationRequest]?: DestinationRequest[Name] | undefined } & {
  isEnabled?: boolean | undefined;
};

/** Finds what to change, inside the transaction, and checks that the caller may change it. */
export type DestinationSubject = (tables: Tables) => Promise<Destination>;

/** Nothing is delivered before the customer has proved that the bucket is theirs. */
export async function createDestination(
  operation: Operation,
  organizationOf: (tables: Tables) => Promise<{ id: string }>,
  request: DestinationRequest,
): Promise<Destination> {
  const { store, now, rules } = operation;
  const id = newId(now);
  const place = placeOf(request, rules);
  const access = await accessOf(id, request, place, rules);
  return store.change(async (tables) => {
    const organizationId = (await organizationOf(tables)).id;
    const permission = await tables.destinations.permission(organizationId);
    if (!permission?.allowed) {
      throw new Fault("deliveries_not_allowed", "the vendor does not deliver builds to buckets of this organization");
    }
    const destination: Destination = {
      id,
      organizationId,
      place,
      access,
      encryption: request.encryption ?? null,
      description: requireDescription(request.description ?? ""),
      families: unique(request.families ?? null),
      formats: unique(request.formats ?? null),
      keep: request.keep ?? BUILDS_KEPT.default,
      ownership: newOwnership(),
      created: now,
      paused: null,
      progress: NO_PROGRESS,
    };
    if ((await tables.destinations.count(organizationId)) >= MAX_DESTINATIONS) {
      throw new Fault(
        "too_many_destinations",
        `the organization already has ${MAX_DESTINATIONS} destinations: delete one first`,
      );
    }
    await requireFreePlace(tables, destination);
    await tables.destinations.insert(destination);
    await record(tables, operation, { action: "destination.created", subject: id, after: audited(destination) });
    return destination;
  });
}

/** Another bucket, prefix or endpoint needs a new proof of ownership, and gets all builds again. */
export async function updateDestination(
  operation: Operation,
  subject: DestinationSubject,
  changes: DestinationChanges,
): Promise<Destination> {
  const { store, now, rules } = operation;
  const { id, place: knownPlace, access: knownAccess } = await subject(store);
  const place = placeOf({ ...knownPlace, ...defined(changes) }, rules, knownPlace.endpoint);
  const changesAccess = [changes.access, changes.roleArn, changes.accessKeyId, changes.secretAccessKey].some(
    (value) => value !== undefined,
  );
  const access = changesAccess
    ? await accessOf(id, { ...accessFields(knownAccess), ...defined(changes) }, place, rules, knownAccess)
    : knownAccess;
  if (place.endpoint !== knownPlace.endpoint) requireReachableWay(access.way, place, rules);
  return store.change(async (tables) => {
    const before = await subject(tables);
    const isMoved = (["bucket", "prefix", "endpoint"] as const).some((part) => before.place[part] !== place[part]);
    const after: Destination = { ...before, place, access };
    if (changes.encryption !== undefined) after.encryption = changes.encryption;
    if (changes.description !== undefined) after.description = requireDescription(changes.description);
    if (changes.families !== undefined) after.families = unique(changes.families);
    if (changes.formats !== undefined) after.formats = unique(changes.formats);
    if (changes.keep !== undefined) after.keep = changes.keep;
    if (changes.isEnabled === false) after.paused ??= { at: now, reason: "manual" };
    if (changes.isEnabled === true) after.paused = null;
    if (isMoved) {
      await requireFreePlace(tables, after);
      after.ownership = newOwnership();
      await tables.destinations.forgetContents(id);
    }
    // Otherwise the next failure would pause it at once.
    const isRepaired = isMoved || changesAccess || (before.paused !== null && after.paused === null);
    if (isRepaired) after.progress = { ...before.progress, failingSince: null };
    await tables.destinations.setProgress(id, after.progress);
    const saved = await save(tables, operation, before, after, "destination.updated");
    await deliverSoon(tables, operation, saved);
    return saved;
  });
}

/** The objects stay in the bucket. */
export async function deleteDestination(operation: Operation, subject: DestinationSubject): Promise<Destination> {
  return operation.store.change(async (tables) => {
    const destination = await subject(tables);
    await tables.jobs.remove("deliver_builds", destination.id);
    await tables.destinations.remove(destination.id);
    const deed = { subject: destination.id, before: audited(destination), after: null };
    await record(tables, operation, { action: "destination.deleted", ...deed });
    return destination;
  });
}

/** Allows an organization to have builds delivered, or stops all its deliveries. */
export async function allowDestinations(
  operation: Operation,
  organizationOf: (tables: Tables) => Promise<{ id: string }>,
  isAllowed: boolean,
): Promise<DeliveryPermission> {
  const { store, now } = operation;
  return store.change(async (tables) => {
    const { id: organizationId } = await organizationOf(tables);
    const before = await permissionOf(tables, organizationId);
    if ((before.allowed !== null) === isAllowed) return before;
    const after = { ...before, allowed: isAllowed ? now : null };
    await tables.destinations.setPermission(after);
    await record(tables, operation, {
      action: isAllowed ? "destinations.allowed" : "destinations.disallowed",
      subject: organizationId,
      before: { allowed: before.allowed },
      after: { allowed: after.allowed },
    });
    await enqueue(tables, "plan_deliveries", {}, now);
    return after;
  });
}

/** The external id is made when it is needed first, and stays the same. */
async function permissionOf(
  { destinations }: Pick<Tables, "destinations">,
  organizationId: string,
): Promise<DeliveryPermission> {
  const found = await destinations.permission(organizationId);
  if (found) return found;
  const externalId = `dbdepot-${randomBytes(EXTERNAL_ID_BYTES).toString("base64url")}`;
  return { organizationId, externalId, allowed: null };
}

/** Encrypts all stored secrets with the first key of the file. Returns how many were encrypted with another. */
export async function rotateSecrets(operation: Operation): Promise<number> {
  const secrets = operation.rules?.secrets;
  if (!secrets) return 0;
  return operation.store.change(async (tables) => {
    let count = 0;
    for (const destination of await tables.destinations.list()) {
      const { access, id } = destination;
      if (access.way !== "keys") continue;
      const sealedSecret = await secrets.reseal(access.sealedSecret, id);
      if (sealedSecret === undefined) continue;
      await tables.destinations.update({ ...destination, access: { ...access, sealedSecret } });
      count += 1;
    }
    const [keyId] = await secrets.keyIds();
    await record(tables, operation, { action: "secrets.rotated", subject: keyId ?? "", after: { count } });
    return count;
  });
}

export async function save(
  tables: Tables,
  operation: Operation,
  before: Destination,
  after: Destination,
  action: "destination.updated" | "destination.verified" | "destination.paused",
): Promise<Destination> {
  await tables.destinations.update(after);
  await record(tables, operation, { action, subject: after.id, before: audited(before), after: audited(after) });
  return after;
}

/** Begins anew with what is missing, also if an earlier attempt has failed and would be repeated later. */
export async function deliverSoon(
  tables: Tables,
  { now }: Pick<Operation, "now">,
  { id, paused, ownership }: Destination,
): Promise<void> {
  await tables.jobs.remove("deliver_builds", id);
  if (!paused && ownership.verified) await enqueue(tables, "deliver_builds", { destinationId: id }, now);
}

export async function requireDestination(tables: Pick<Tables, "destinations">, id: string): Promise<Destination> {
  const destination = isUuid(id) ? await tables.destinations.byId(id.toLowerCase()) : undefined;
  if (!destination) throw notFound("there is no such destination");
  return destination;
}

/** Another organization's destination is reported like one that does not exist. */
export async function requireOwnDestination(
  tables: Pick<Tables, "destinations">,
  organizationId: string,
  id: string,
): Promise<Destination> {
  const destination = await requireDestination(tables, id);
  if (destination.organizationId !== organizationId) throw notFound("there is no such destination");
  return destination;
}

/** The ways that this server offers. */
export function waysOf(rules: Partial<Rules> | undefined): AccessWay[] {
  const identity: AccessWay[] = rules?.vendorIdentity ? ["vendor", "role"] : [];
  return rules?.secrets?.isOn ? [...identity, "keys"] : identity;
}

/** The endpoint that is known was checked before, and its address is checked with every connection. */
function placeOf(
  { bucket, prefix = "", region, endpoint = null }: Partial<DestinationRequest>,
  rules: Partial<Rules> | undefined,
  known: string | null = null,
): Place {
  if (bucket === undefined || region === undefined) throw invalid("a destination needs a bucket and a region");
  if (/\.\.|^\d+(\.\d+){3}$/.test(bucket)) throw invalid(`"${bucket}" is not a valid name of a bucket`);
  if (prefix.split("/").some((part) => part === "." || part === "..")) throw invalid("the prefix must not contain ..");
  return { bucket, prefix, region, endpoint: endpoint === known ? known : endpoint && endpointOf(endpoint, rules) };
}

function endpointOf(text: string, rules: Partial<Rules> | undefined): string {
  const limits = { what: "the endpoint", maxLength: ENDPOINT_MAX_LENGTH };
  const url = new URL(requirePublicUrl(text, rules?.webhookPrivateNetworks ?? [], limits));
  if (url.search) throw new Fault("invalid_url", "the endpoint must not contain a query");
  return url.href.replace(/\/+$/, "");
}

/** `known` keeps its secret if only other fields change. */
async function accessOf(
  id: string,
  { access: way, roleArn, accessKeyId, secretAccessKey }: Partial<DestinationRequest>,
  place: Place,
  rules: Partial<Rules> | undefined,
  known?: Access,
): Promise<Access> {
  if (way === undefined) throw invalid("choose how the service is let into the bucket");
  requireReachableWay(way, place, rules);
  if (way === "vendor") return { way };
  if (way === "role") {
    if (roleArn === undefined) throw invalid("name the role to assume");
    return { way, roleArn };
  }
  if (accessKeyId === undefined) throw invalid("an access key needs an id");
  if (secretAccessKey === undefined) {
    if (known?.way === "keys" && known.accessKeyId === accessKeyId) return known;
    throw invalid("an access key needs its secret");
  }
  const sealedSecret = await rules?.secrets?.seal(secretAccessKey, id);
  if (sealedSecret === undefined) throw unavailableWay(way);
  return { way, accessKeyId, sealedSecret };
}

/** Our own credentials are sent only to the storages that know them. */
function requireReachableWay(way: AccessWay, { endpoint }: Place, rules: Partial<Rules> | undefined): void {
  if (!waysOf(rules).includes(way)) throw unavailableWay(way);
  if (way === "keys" || endpoint === null || endpoint === rules?.vendorIdentity?.endpoint) return;
  throw new Fault(
    "way_not_available",
    "the vendor's identity is not known at this endpoint: use an access key instead",
  );
}

function unavailableWay(way: AccessWay): Fault {
  const reason =
    way === "keys"
      ? "access keys cannot be stored, because DBDEPOT_SECRETS_KEY_FILE is not set"
      : "the vendor has no identity, because AWS_ACCESS_KEY_ID or DBDEPOT_DELIVERY_PRINCIPAL is not set";
  return new Fault("way_not_available", reason);
}

async function requireFreePlace(tables: Tables, { id, organizationId, place }: Destination): Promise<void> {
  const { bucket, prefix, endpoint } = place;
  const others = await tables.destinations.list({ organizationId });
  const isTaken = others.some(
    (other) =>
      other.id !== id &&
      other.place.bucket === bucket &&
      other.place.prefix === prefix &&
      other.place.endpoint === endpoint,
  );
  if (isTaken) throw conflict("another destination has the same bucket and prefix: choose another prefix");
}

function newOwnership(): Destination["ownership"] {
  return { token: `dbdepot-ownership=${randomBytes(TOKEN_BYTES).toString("base64url")}`, verified: null };
}

function accessFields(access: Access): Partial<DestinationRequest> {
  if (access.way === "keys") return { access: "keys", accessKeyId: access.accessKeyId };
  return access.way === "role" ? { access: "role", roleArn: access.roleArn } : { access: "vendor" };
}

/** Omits the progress, which no person has changed, and the secret. */
function audited({ progress: _, ownership, access, ...destination }: Destination) {
  const { verified } = ownership;
  return {
    ...destination,
    access: access.way === "keys" ? { way: access.way, accessKeyId: access.accessKeyId } : access,
    verified,
  };
}

function defined(changes: DestinationChanges): Partial<DestinationRequest> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function unique<T>(values: readonly T[] | null): T[] | null {
  return values && [...new Set(values)];
}

function requireDescription(text: string): string {
  const trimmed = text.trim();
  const isLine = trimmed.isWellFormed() && !/\p{Cc}/u.test(trimmed);
  if (!isLine || [...trimmed].length > DESTINATION_DESCRIPTION_MAX_LENGTH) {
    throw invalid(
      `a destination's description must be one line of up to ${DESTINATION_DESCRIPTION_MAX_LENGTH} characters`,
    );
  }
  return trimmed;
}
