import { hash } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import type { Customer } from "../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import type { Build } from "../../src/domain/builds/build.ts";
import { updateVersion } from "../../src/domain/catalogue/catalogue.ts";
import { allowDestinations, createDestination } from "../../src/domain/destinations/destinations.ts";
import { type Limits, NO_LIMITS } from "../../src/domain/limits/limits.ts";
import { updateOrganization } from "../../src/domain/organizations/organizations.ts";
import { addTerms } from "../../src/domain/terms/add.ts";
import { createWebhook } from "../../src/domain/webhooks/webhooks.ts";
import { newId } from "../../src/platform/primitives/ids.ts";

/** A service with data for every documented response. */
export interface Fixture extends TestService {
  customer: Customer;
  /** A v1 key that is authorized for `vpn_ip_v1` and `soon_ip_v1`. */
  uuid: string;
  /** The current build of `vpn_ip_v1`. */
  build: Build;
}

/** A package that the fixture offers for download. */
export const PACKAGE = { name: "dbdepot_amd64.deb", body: Buffer.from("a Debian package") };

export async function openFixture(settings: Record<string, string> = {}): Promise<Fixture> {
  const [stage] = stages();
  if (!stage) throw new Error("no stage to test on");
  const test = await testService(stage, {
    DBDEPOT_CLIENTS_DIR: await clientPackages(),
    DBDEPOT_DELIVERY_PRINCIPAL: "arn:aws:iam::123456789012:user/dbdepot",
    AWS_ACCESS_KEY_ID: "vendor",
    AWS_SECRET_ACCESS_KEY: "secret",
    ...settings,
  });
  const { operator, clock } = test;
  for (const id of ["vpn_ip_v1", "expired_ip_v1", "unlicensed_ip_v1", "soon_ip_v1", "bound_ip_v1"]) {
    await operator.addDatabase(id);
  }
  await operator.addDatabase("hosting_provider_v1", { formats: ["csvgz"] });
  const build = await operator.publish("vpn_ip_v1");
  const customer = await operator.customer("Acme", { scopes: ["db.download", "apikeys.manage", "org.read"] });
  const { organizationId } = customer;
  await operator.grant(organizationId, "vpn_ip");
  await operator.grant(organizationId, "soon_ip");
  await operator.grant(organizationId, "hosting_provider");
  const starts = clock.now();
  await operator.grant(organizationId, "expired_ip", { starts, expires: new Date(starts.getTime() + 1000) });
  await addTerms(operator.operation(), { name: "data-licence", title: "Data licence", text: "Be nice." });
  await operator.grant(organizationId, "bound_ip", { terms: "data-licence" });
  clock.advance("60 seconds");
  const { uuid } = await operator.legacyCustomer(["vpn_ip_v1", "soon_ip_v1"], organizationId);
  return { ...test, customer, uuid, build };
}

/** Shares these databases as tables, and waits until that of `vpn_ip_v1` exists. */
export async function addTables({ operator, service }: Fixture, ids: readonly string[]): Promise<void> {
  for (const id of ids) await updateVersion(operator.operation(), id, { tables: true });
  const { store, jobs } = service.services;
  jobs.wake();
  const isWritten = async () => (await store.sharing.latest("vpn_ip_v1")) !== undefined;
  await vi.waitUntil(isWritten, { timeout: 60_000, interval: 50 });
  await operator.settle();
}

/** A directory with a package as `dbdepot-clients-<version>.tar` has them. */
export async function clientPackages(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-clients-"));
  await writeFile(join(directory, PACKAGE.name), PACKAGE.body);
  await writeFile(join(directory, "SHA256SUMS"), `${hash("sha256", PACKAGE.body)}  ${PACKAGE.name}\n`);
  return directory;
}

/** A fixture for all tests of a file. */
export function sharedFixture(): Fixture {
  const shared = {} as Fixture;
  beforeAll(async () => {
    Object.assign(shared, await openFixture());
  });
  afterAll(() => shared.dispose());
  return shared;
}

/** Lets the customer exceed each of its limits in turn. The customer must have downloaded something before. */
export async function exceedLimits(
  { operator, service, clock, customer: { organizationId } }: Fixture,
  expectRefused: (expected: string) => Promise<void>,
): Promise<void> {
  const setLimits = async (limits: Limits) => {
    await updateOrganization(operator.operation(), organizationId, { limits });
    await operator.settle();
  };
  const stream = { id: "", use: undefined, isStream: true };
  for (const [name, code] of [
    ["bytes_per_month", "BYTES_USED_UP"],
    ["parallel_streams", "TOO_MANY_STREAMS"],
    ["downloads_per_day", "DOWNLOADS_USED_UP"],
  ] as const) {
    await setLimits({ ...NO_LIMITS, [name]: 1 });
    using _ = await service.services.limits.claim(organizationId, stream, clock.now());
    await expectRefused(`429 ${code}`);
  }
  await setLimits(NO_LIMITS);
}

/** Creates a webhook of the customer, to which an event has been sent. */
export async function newWebhook({
  operator,
  customer,
}: Fixture): Promise<{ WEBHOOK_ID: string; DELIVERY_ID: string }> {
  const operation = operator.operation();
  const { events, webhooks } = operation.store;
  const own = async () => ({ id: customer.organizationId });
  const { id: webhookId } = await createWebhook(operation, own, { url: "https://hooks.example.invalid/" });
  await operator.colleague(customer);
  const delivery = {
    id: newId(operation.now),
    webhookId,
    eventId: (await events.latest())?.id ?? "",
    eventType: "key.created",
    attempt: 1,
    trigger: "event",
    outcome: "failed",
    httpStatus: 500,
    error: null,
    durationMs: 1,
    created: operation.now,
    request: { headers: { "webhook-id": "1" }, body: "{}", isCut: false },
    response: { headers: {}, body: "", isCut: false },
  } as const;
  await webhooks.addDelivery(delivery);
  return { WEBHOOK_ID: webhookId, DELIVERY_ID: delivery.id };
}

/** Creates a destination of the customer at an address to which the service does not connect. */
export async function newDestination({ operator, customer }: Fixture): Promise<{ DESTINATION_ID: string }> {
  const endpoint = "http://127.0.0.1:1";
  const rules = { webhookPrivateNetworks: ["127.0.0.0/8"], vendorIdentity: { principal: "vendor", endpoint } };
  const operation = { ...operator.operation(), rules };
  const own = async () => ({ id: customer.organizationId });
  await allowDestinations(operation, own, true);
  const prefix = newId(operation.now);
  const request = { bucket: "acme-data", prefix, region: "us-east-1", endpoint, access: "vendor" } as const;
  return { DESTINATION_ID: (await createDestination(operation, own, request)).id };
}

/** The same, after all others were deleted, because an organization can have only a few. */
export async function onlyDestination(fixture: Fixture): Promise<{ DESTINATION_ID: string }> {
  const { destinations } = fixture.service.services.store;
  for (const { id } of await destinations.list()) await destinations.remove(id);
  return newDestination(fixture);
}
