import type { Api } from "./api.ts";
import type { CallOptions } from "./keys.ts";
import { pages } from "./paging.ts";
import type {
  BucketDelivery,
  BucketDeliveryList,
  CreateDestinationRequest,
  Destination,
  DestinationList,
  DestinationTest,
  UpdateDestinationRequest,
} from "./wire.gen.ts";

const PATH = "/api/v2/destinations";

/** Manages the buckets to which builds are delivered. Your key needs the scope `apikeys.manage`. */
export class Destinations {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Adds a bucket. Put the object of `ownership` into it, then call `test`. */
  async create(request: CreateDestinationRequest, o: CallOptions = {}): Promise<Destination> {
    return (await this.#api.call({ method: "POST", path: PATH, body: request, isRepeatable: false, ...o })).json();
  }

  /** Returns the destinations, and in `setup` what the policy of a new one needs. */
  async list(o: CallOptions = {}): Promise<DestinationList> {
    return (await this.#api.call({ path: PATH, ...o })).json();
  }

  async get(id: string, o: CallOptions = {}): Promise<Destination> {
    return (await this.#api.call({ path: destinationPath(id), ...o })).json();
  }

  async update(id: string, changes: UpdateDestinationRequest, o: CallOptions = {}): Promise<Destination> {
    return (await this.#api.call({ method: "PATCH", path: destinationPath(id), body: changes, ...o })).json();
  }

  /** The files stay in the bucket. */
  async delete(id: string, o: CallOptions = {}): Promise<void> {
    await this.#api.call({ method: "DELETE", path: destinationPath(id), expects: [204], isRepeatable: false, ...o });
  }

  /** Checks the proof of ownership, writes, reads and deletes an object, and returns which step fails. */
  async test(id: string, o: CallOptions = {}): Promise<DestinationTest> {
    const request = { method: "POST", path: `${destinationPath(id)}/test`, isRepeatable: false } as const;
    return (await this.#api.call({ ...request, ...o })).json();
  }

  /** Iterates over the deliveries to a bucket, newest first. */
  async *deliveries(id: string, o: CallOptions = {}): AsyncGenerator<BucketDelivery, void, undefined> {
    const path = `${destinationPath(id)}/deliveries`;
    for await (const page of pages<BucketDeliveryList>(this.#api, path, o)) yield* page.deliveries;
  }
}

function destinationPath(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}
