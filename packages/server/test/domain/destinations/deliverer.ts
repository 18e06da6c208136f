import { join } from "node:path";
import { Output } from "@dbdepot/terminal/output";
import { bucketOpener } from "../../../src/adapters/objects/bucket.ts";
import { openContext } from "../../../src/commands/context.ts";
import type { ObjectStore } from "../../../src/domain/builds/object-store.ts";
import type { DeliveryOptions } from "../../../src/domain/destinations/deliver.ts";
import { deliveryJob, planningJob } from "../../../src/domain/destinations/jobs.ts";
import { Secrets } from "../../../src/domain/destinations/secrets.ts";
import { History } from "../../../src/domain/downloads/history.ts";
import { directorySpool } from "../../../src/domain/downloads/spool.ts";
import { JobRunner } from "../../../src/domain/jobs/runner.ts";
import { LimitCounters } from "../../../src/domain/limits/counters.ts";
import type { Store } from "../../../src/domain/store.ts";
import { Register } from "../../../src/register/register.ts";
import { parseSettings } from "../../../src/settings/settings.ts";

interface Parts {
  store: Store;
  objects: ObjectStore;
  dataDir: string;
  clock: () => Date;
  credentials: { accessKeyId: string; secretAccessKey: string };
  onDelivery?: DeliveryOptions["onDelivery"];
  onFailure?: (message: string, error: unknown) => void;
}

/** The part of a server that delivers. */
export async function startDeliverer(parts: Parts) {
  const { store, objects, dataDir, clock, credentials, onDelivery = () => {}, onFailure = () => {} } = parts;
  const register = new Register(store);
  await register.refresh();
  const history = new History(store.attempts, directorySpool(join(dataDir, "spool"), onFailure), { onFailure });
  await history.start();
  const limitsOf = (organizationId: string) => register.limits(organizationId);
  const limits = new LimitCounters({ store, limitsOf, clock, onFailure: (error) => onFailure("limits", error) });
  const openBucket = bucketOpener({
    privateNetworks: ["127.0.0.0/8"],
    secrets: new Secrets(undefined),
    credentials,
    externalIdOf: async (organizationId) => (await store.destinations.permission(organizationId))?.externalId,
  });
  const delivering: DeliveryOptions = {
    ...{ store, objects, register, history, limits, openBucket, clock, onDelivery },
    onAttempt: () => {},
  };
  const handlers = { plan_deliveries: planningJob(delivering), deliver_builds: deliveryJob(delivering) };
  const runner = new JobRunner({ store, clock, handlers, onFailure });
  return { runner, register, openBucket };
}

/** A process that tests start and kill. If its clock runs 30 times as fast, claims expire after two seconds. */
if (import.meta.main) {
  const [environment = "{}", credentials = "{}", started = "", clockSpeed = "1"] = process.argv.slice(2);
  const settings = parseSettings(JSON.parse(environment));
  const output = new Output({ env: {}, writeOut: () => {}, writeErr: () => {} }, { program: "test", isJson: false });
  const context = openContext(settings, output);
  const { runner, register } = await startDeliverer({
    store: await context.store(),
    objects: await context.objects(),
    dataDir: settings.dataDir,
    clock: () => new Date(Number(started) + (Date.now() - Number(started)) * Number(clockSpeed)),
    credentials: JSON.parse(credentials),
    onDelivery: ({ outcome }) => process.stdout.write(`${outcome}\n`),
    onFailure: (message, error) => process.stderr.write(`${message}: ${error}\n`),
  });
  runner.start(register);
  process.stdout.write("started\n");
  // The timers of the runner do not keep a process alive.
  setInterval(() => {}, 60_000);
}
