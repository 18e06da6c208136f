import { inject } from "vitest";
import { type OpenStage, type Stage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { type Destination, ownershipPath } from "../../../src/domain/destinations/destination.ts";
import {
  allowDestinations,
  createDestination,
  type DestinationRequest,
  deleteDestination,
  requireDestination,
} from "../../../src/domain/destinations/destinations.ts";
import { testDestination } from "../../../src/domain/destinations/try.ts";
import { grantLicence } from "../../../src/domain/licences/licences.ts";
import { createSigningKey } from "../../../src/domain/manifests/signing-keys.ts";
import { addOrganization } from "../../../src/domain/organizations/organizations.ts";
import type { Store } from "../../../src/domain/store.ts";
import { Depot } from "../builds/depot.ts";
import { sampleBuild } from "../builds/sample-build.ts";
import type { CustomerBucket } from "./customer-bucket.ts";
import { startDeliverer } from "./deliverer.ts";

export const PRINCIPAL = "arn:aws:iam:::user/test";
export const PREFIX = "from-vendor";
export const ID = "some_v1";
/** Large enough to be sent in parts. */
const FILE_BYTES = 10 * 1024 * 1024;

/** A vendor without a server, who delivers one database to buckets of Acme. */
export class Vendor {
  readonly depot: Depot;
  /** The variables with which another process opens the same depot. */
  readonly environment: OpenStage["environment"];
  readonly credentials: { accessKeyId: string; secretAccessKey: string };
  /** The storage that knows the vendor. */
  readonly endpoint: string;
  readonly #organizationId: string;

  private constructor(depot: Depot, environment: OpenStage["environment"], endpoint: string, organizationId: string) {
    const server = inject("s3");
    this.depot = depot;
    this.environment = environment;
    this.credentials = { accessKeyId: server?.accessKeyId ?? "any", secretAccessKey: server?.secretAccessKey ?? "any" };
    this.endpoint = endpoint;
    this.#organizationId = organizationId;
  }

  static async open(endpoint = new URL(inject("s3")?.url ?? "").searchParams.get("endpoint") ?? ""): Promise<Vendor> {
    const [first] = stages() as [Stage];
    let environment: OpenStage["environment"] = {};
    const depot = await Depot.open({
      ...first,
      async open(settings) {
        const opened = await first.open(settings);
        environment = opened.environment;
        return opened;
      },
    });
    await depot.addVersion(ID, ["mmdb"]);
    await createSigningKey(depot.operation());
    const { id } = await addOrganization(depot.operation(), "Acme");
    await grantLicence(depot.operation(), { organization: "Acme", base: "some", redistribution: "internal" });
    const vendor = new Vendor(depot, environment, endpoint, id);
    await allowDestinations(vendor.operation(), vendor.#own, true);
    return vendor;
  }

  dispose(): Promise<void> {
    return this.depot.dispose();
  }

  operation() {
    const vendorIdentity = { principal: PRINCIPAL, endpoint: this.endpoint };
    const { rules, ...rest } = this.depot.operation();
    return { ...rest, rules: { ...rules, vendorIdentity, webhookPrivateNetworks: ["127.0.0.0/8"] } };
  }

  newDestination(
    { name, endpoint }: Pick<CustomerBucket, "name" | "endpoint">,
    more: Partial<DestinationRequest> = {},
  ): Promise<Destination> {
    const request = { bucket: name, prefix: PREFIX, region: "us-east-1", endpoint, access: "vendor", ...more } as const;
    return createDestination(this.operation(), this.#own, request);
  }

  /** The steps of a test that were done, the last one with its error. */
  async tested({ id }: Destination): Promise<string[]> {
    const { openBucket } = await this.#deliverer();
    const steps = await testDestination(this.operation(), openBucket, (tables) => requireDestination(tables, id));
    return steps.map(({ step, error }) => (error ? `${step}: ${error.problem}` : step));
  }

  /** Proves that the bucket is the customer's. */
  async prove(bucket: CustomerBucket, { ownership, place, ...destination }: Destination): Promise<void> {
    await bucket.put(`${place.prefix}/${ownershipPath(destination)}`, ownership.token);
  }

  /** A destination to which builds are delivered. */
  async verified(bucket: CustomerBucket, more: Partial<DestinationRequest> = {}): Promise<Destination> {
    const destination = await this.newDestination(bucket, more);
    await this.prove(bucket, destination);
    const steps = await this.tested(destination);
    if (steps.join() !== "ownership,write,read,delete") throw new Error(`the test failed: ${steps}`);
    return destination;
  }

  publish(mark: string, fileBytes = FILE_BYTES) {
    return this.depot.publish(ID, sampleBuild(ID, { mark, formats: ["mmdb"], rows: fileBytes }), { force: true });
  }

  async deliver(): Promise<void> {
    const { runner } = await this.#deliverer();
    await runner.runNext("plan_deliveries");
    while (await runner.runNext("deliver_builds"));
  }

  /** The log of a destination, newest first. */
  deliveries({ id: destinationId }: Destination): ReturnType<Store["destinations"]["deliveries"]> {
    return this.depot.store.destinations.deliveries({ destinationId, limit: 100 });
  }

  remove({ id }: Destination): Promise<Destination> {
    return deleteDestination(this.operation(), (tables) => requireDestination(tables, id));
  }

  readonly #own = async () => ({ id: this.#organizationId });

  #deliverer() {
    const { store, objects, settings, clock } = this.depot;
    return startDeliverer({
      store,
      objects,
      dataDir: settings.dataDir,
      clock: clock.now,
      credentials: this.credentials,
    });
  }
}
