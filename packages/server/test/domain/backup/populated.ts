import { hash } from "node:crypto";
import { Readable } from "node:stream";
import { expect } from "vitest";
import { Customer, call } from "../../../../../rigs/harness/service/customer.ts";
import type { TestService } from "../../../../../rigs/harness/service/test-service.ts";
import { hashSecret } from "../../../src/domain/access/secret.ts";
import { inviteAccount } from "../../../src/domain/accounts/accounts.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import type { BuildPair } from "../../../src/domain/builds/changes/store.ts";
import { withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import {
  allowDestinations,
  createDestination,
  requireDestination,
  updateDestination,
} from "../../../src/domain/destinations/destinations.ts";
import { enqueue } from "../../../src/domain/jobs/jobs.ts";
import { createFreshnessKey } from "../../../src/domain/manifests/freshness-keys.ts";
import { createSigningKey } from "../../../src/domain/manifests/signing-keys.ts";
import { updateOrganization } from "../../../src/domain/organizations/organizations.ts";
import { createRequest } from "../../../src/domain/requests/requests.ts";
import { addTerms } from "../../../src/domain/terms/add.ts";
import { createWebhook, updateWebhook } from "../../../src/domain/webhooks/webhooks.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { attempt, build, patch, sharedFile, tableVersion } from "../../adapters/sql/samples.ts";
import { Authenticator, addPasskey } from "../../routes/console/authenticator.ts";
import { Person, personOf } from "../../routes/console/person.ts";
import { Admin, adminOf } from "../../routes/iam/admin.ts";
import { Robot, robotOf } from "../../routes/operator/robot.ts";

/** Keys that work on any server with the same data. */
export interface Callers {
  acme: Customer;
  admin: Admin;
  robot: Robot;
  legacyUuid: string;
}

const IDS = ["vpn_ip_v1", "secret_v1"];
const FORMATS = ["csvgz", "mmdb"];
const OPERATOR_LISTS = [
  "organizations",
  "families",
  "versions",
  "licences",
  "terms",
  "acceptances",
  "requests",
  "keys",
  "legacy-keys",
  "webhooks",
  "destinations",
  "audit",
];

/** Fills every table, some of them with several batches. */
export async function populate(test: TestService): Promise<Callers> {
  const { operator, service } = test;
  const { store } = service.services;
  await operator.addDatabase("vpn_ip_v1");
  await operator.addDatabase("secret_v1", { visibility: "private" });
  await createSigningKey(operator.operation());
  for (let n = 0; n < 20; n++) await operator.publish("vpn_ip_v1", `build ${n}`);
  const withdrawn = await operator.publish("secret_v1", "wrong");
  const right = await operator.publish("secret_v1", "right", ["csvgz", "mmdb"]);
  await addPatch(test, right);
  await addChanges(test, { from: withdrawn.id, to: right.id });
  await withdrawBuild(operator.operation(), withdrawn.id);
  await createFreshnessKey({ ...operator.operation(), rules: service.services.rules }, { validDays: 365 });
  await store.change((tables) => tables.builds.insert(build("vpn_ip_v1", { id: newId(new Date()), state: "staged" })));
  const acme = await operator.customer("Acme");
  await operator.customer("Globex");
  const limits = { requests_per_minute: 60, downloads_per_day: 100, bytes_per_month: 1e15, parallel_streams: 4 };
  await updateOrganization(operator.operation(), "Globex", { limits });
  await operator.grant("Acme", "vpn_ip");
  await addTerms(operator.operation(), { name: "data-licence", title: "Data licence", text: "Be nice." });
  await operator.grant("Acme", "secret", { terms: "data-licence" });
  await createRequest(operator.operation(), {
    organizationId: (await operator.customer("Initech")).organizationId,
    base: "vpn_ip",
    person: { email: "peter@initech.example", name: "Peter" },
    message: "For our printers",
  });
  await operator.grant("Globex", "vpn_ip", { starts: new Date(0), expires: new Date(1) });
  const admin = await adminOf(test, acme);
  const created = await admin.create({ name: "CI", allowed_scopes: ["db.download"] }, { "idempotency-key": "once" });
  await admin.rotate(created.json.id, { overlap_seconds: 3600 });
  await admin.revoke((await operator.colleague(acme)).keyId);
  const { uuid } = await operator.legacyCustomer(["vpn_ip_v1"], "Acme");
  const ada = await personOf(test, "ada@example.com", "admin", "Acme");
  const { sha256 } = (await ada.get("/api/console/terms/data-licence@1")).json;
  expect((await ada.post("/api/console/terms/data-licence@1/accept", { sha256 })).status).toBe(200);
  await addPasskey(ada, new Authenticator(ada.apiUrl));
  await ada.send("PATCH", "/api/console/notices", { body: { topic: "keys", enabled: false } });
  // A request of a program that is not finished.
  await new Person(ada.apiUrl, ada.email).signIn();
  await inviteAccount(operator.operation(), undefined, { email: "root@example.com", role: "operator" });
  await addWebhook(test, acme);
  await addDestination(test, acme);
  await addPrograms(test, created.json.id);
  await addMail(test);
  // Someone was erased.
  await store.change(async ({ privacy }) => {
    await privacy.insertSecret("secret");
    await privacy.insertDigest("digest");
  });
  await store.attempts.append(Array.from({ length: 1200 }, () => attempt()));
  await addUsage(test, acme.organizationId);
  await operator.settle();
  return { acme, admin, robot: await robotOf(test), legacyUuid: uuid };
}

/** The totals of a day. The rest of the history is counted while the service runs. */
async function addUsage({ service, clock }: TestService, organizationId: string): Promise<void> {
  const { usage } = service.services.store;
  const claim = { by: "the test", until: clock.now() };
  const counted = { organizationId, day: "2026-01-31", datasetId: "vpn_ip_v1", format: "mmdb" };
  const totals = { firstDownloads: 1, repeats: 2, refused: 3, bytes: 4, savedBytes: 7, keys: 5, addresses: 6 };
  const put = { days: [{ ...counted, ...totals }], firsts: [{ ...counted, buildId: newId(clock.now()) }] };
  await usage.claim(claim, clock.now());
  await usage.write(claim, { put, remove: { days: [], firsts: [] } });
  await usage.finish(claim.by, clock.now(), new Date(clock.now().getTime() + 86_400_000));
}

/** A stored patch, a table, and a job that waits because this server makes none. */
async function addPatch({ service, clock }: TestService, build: Build): Promise<void> {
  const { store, objects } = service.services;
  const made = patch(build, null);
  const bytes = Buffer.from("a patch");
  const objectKey = made.file?.objectKey ?? "";
  await objects.put(objectKey, Readable.from([bytes]));
  const file = { objectKey, sizeBytes: bytes.length, sha256: hash("sha256", bytes) };
  const shared = sharedFile(build, { sizeBytes: 7, sha256: hash("sha256", "parquet") });
  await objects.put(shared.objectKey, Readable.from([Buffer.from("parquet")]));
  await store.change(async (tables) => {
    await tables.sharing.insertFiles([shared]);
    await tables.sharing.insertVersion(tableVersion(build));
    await tables.patches.insert({ ...made, file });
    await enqueue(tables, "make_patches", { versionId: build.versionId, buildId: build.id }, clock.now());
  });
}

/** A program that is signed in, and two that wait. */
async function addPrograms({ service, clock }: TestService, keyId: string): Promise<void> {
  const now = clock.now();
  const expires = new Date(now.getTime() + 60_000);
  const asking = { programId: "dbdepot-cli", host: "build-7", address: "192.0.2.1", scopes: ["db.download"] as const };
  const approval = { accountId: newId(now), organizationId: newId(now), scopes: ["db.download"] as const, days: 30 };
  const { store } = service.services;
  const waiting = {
    ...asking,
    id: newId(now),
    created: now,
    expires,
    lastPolled: null,
    isDenied: false,
    approval: null,
  };
  await store.programs.insertRequest(
    { ...waiting, scopes: [...asking.scopes] },
    { device: hashSecret("device"), user: hashSecret("user") },
  );
  await store.twoFactor.insertOpenChallenge({ challenge: "challenge", expires }, hashSecret("passkey"));
  await store.change(async ({ programs }) => {
    const code = { redirect: "http://127.0.0.1/", challenge: "challenge", expires, programKeyId: null };
    const approved = { ...approval, scopes: [...approval.scopes] };
    await programs.insertCode(
      { ...asking, scopes: [...asking.scopes], ...code, approval: approved },
      hashSecret("code"),
      now,
    );
    const programKey = { id: newId(now), programId: "dbdepot-cli", accountId: approval.accountId, keyId, days: 30 };
    await programs.insert({ ...programKey, keyExpires: expires, created: now }, hashSecret("refresh"));
  });
}

/** The result of a comparison. */
async function addChanges({ service, clock }: TestService, pair: BuildPair): Promise<void> {
  const { changes } = service.services.store;
  await changes.save(pair, { state: "not_compared", reason: "the columns differ" }, clock.now());
}

/** A disabled webhook, so that no server sends anything, and a row of its log. */
/** It is paused, so that nothing is delivered. */
async function addDestination({ operator }: TestService, { organizationId }: Customer): Promise<void> {
  const rules = { vendorIdentity: { principal: "arn:aws:iam::123456789012:user/dbdepot", endpoint: null } };
  const operation = { ...operator.operation(), rules };
  const { store, now } = operation;
  const own = async () => ({ id: organizationId });
  await allowDestinations(operation, own, true);
  const request = { bucket: "acme-data", region: "eu-west-1", access: "vendor" } as const;
  const { id: destinationId } = await createDestination(operation, own, request);
  await updateDestination(operation, (tables) => requireDestination(tables, destinationId), { isEnabled: false });
  const [versionId, buildId] = ["vpn_ip_v1", newId(now)];
  const sent = { destinationId, versionId, buildId };
  await store.destinations.setBuild({ ...sent, files: [], named: now });
  await store.destinations.setDatabase({ ...sent, contents: "", sequence: 1, additions: "", refusal: null });
  const counts = { files: 1, bytes: 2, durationMs: 3, problem: null, error: null };
  await store.destinations.addDelivery({ ...sent, ...counts, id: newId(now), outcome: "delivered", created: now });
}

async function addWebhook({ operator, service }: TestService, { organizationId }: Customer): Promise<void> {
  const { webhooks } = service.services.store;
  const operation = operator.operation();
  const request = { url: "https://hooks.example.com/dbdepot" };
  const webhook = await createWebhook(operation, async () => ({ id: organizationId }), request);
  await updateWebhook(operation, async () => webhook, { isEnabled: false });
  await webhooks.addDelivery({
    id: newId(operation.now),
    webhookId: webhook.id,
    eventId: newId(operation.now),
    eventType: "webhook.test",
    attempt: 1,
    trigger: "test",
    outcome: "failed",
    httpStatus: null,
    error: "host not found",
    durationMs: 3,
    created: operation.now,
    request: { headers: { "webhook-id": "1" }, body: "{}", isCut: false },
    response: null,
  });
}

/** The same keys, used on another server. */
export function callersOf({ acme, admin, robot, legacyUuid }: Callers, apiUrl: string): Callers {
  return {
    acme: new Customer(apiUrl, acme.key, acme),
    admin: new Admin(apiUrl, admin.key, admin),
    robot: new Robot(apiUrl, robot.key),
    legacyUuid,
  };
}

/** Everything that customers and operators can read, except the history. Each call adds the same attempts to it. */
export async function answers({ acme, admin, robot, legacyUuid }: Callers): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = { list: (await acme.list()).json };
  for (const id of IDS) {
    found[`metadata ${id}`] = (await acme.metadata(id)).text;
    found[`manifest ${id}`] = (await acme.get(`/api/v2/database/manifest?id=${id}`)).json;
    const { builds } = (await robot.get(`/builds?version=${id}`)).json;
    found[`builds ${id}`] = builds.filter(({ state }: { state: string }) => state !== "staged");
    for (const format of FORMATS) {
      const { status, headers } = await acme.download(id, format);
      const file = await fetch(headers.get("location") ?? "");
      found[`download ${id} ${format}`] = [headers.get("repr-digest"), headers.get("x-build-id")];
      expect([status, file.status]).toEqual([302, 200]);
      found[`bytes ${id} ${format}`] = Buffer.from(await file.arrayBuffer()).toString("hex");
      found[`checksum ${id} ${format}`] = (await acme.checksum(id, format)).json;
    }
  }
  const sample = await fetch((await acme.download("secret_v1", "mmdb", "&sample=true")).headers.get("location") ?? "");
  expect(sample.status).toBe(200);
  found.sample = await sample.text();
  const v1 = await call(`${acme.apiUrl}/api/v1/database/download?apikey=${legacyUuid}&id=vpn_ip_v1&format=mmdb`);
  expect(v1.status).toBe(200);
  found.v1 = v1.text;
  found.signingKeys = (await acme.get("/.well-known/dbdepot-keys.json")).json;
  found.keys = (await admin.keys()).map(withoutLastUsed);
  for (const list of OPERATOR_LISTS) {
    const { json } = await robot.get(`/${list}`);
    const [rows] = Object.values<Record<string, unknown>[]>(json).filter((value) => Array.isArray(value));
    // Each backup adds an entry to the audit log of what it was made from.
    found[`operator ${list}`] = rows?.filter(({ action }) => action !== "backup.created").map(withoutLastUsed);
    expect(rows?.length).toBeGreaterThan(0);
  }
  return found;
}

/** Keys are marked as used with a delay. */
function withoutLastUsed({ last_used: _, last_used_at: __, ...rest }: Record<string, unknown>) {
  return rest;
}

/** An e-mail that waits, because this server sends none. */
async function addMail({ service, clock }: TestService): Promise<void> {
  const created = clock.now();
  const content = { subject: "News", text: "news", html: "<p>news</p>", unsubscribeUrl: "https://depot.example/" };
  const [id, accountId] = [newId(created), newId(created)];
  const mail = { id, kind: "digest", accountId, to: "ada@example.com", about: null, content, created } as const;
  await service.services.store.change((tables) => tables.mail.insert(mail, created));
}
