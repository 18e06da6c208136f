import type { Api } from "./api.ts";
import type { CallOptions } from "./keys.ts";
import { pages } from "./paging.ts";
import type {
  CreateWebhookRequest,
  Delivery,
  DeliveryDetails,
  DeliveryList,
  IssuedWebhook,
  UpdateWebhookRequest,
  Webhook,
  WebhookList,
} from "./wire.gen.ts";

const PATH = "/api/v2/webhooks";

/** Manages the webhooks of your organization. Your key needs the scope `apikeys.manage`. */
export class Webhooks {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Creates a webhook. Only this response and that of a rotation contain the secret. */
  async create(request: CreateWebhookRequest, o: CallOptions = {}): Promise<IssuedWebhook> {
    // It is not repeated, because a second webhook would receive every event twice.
    return (await this.#api.call({ method: "POST", path: PATH, body: request, isRepeatable: false, ...o })).json();
  }

  async list(o: CallOptions = {}): Promise<Webhook[]> {
    return (await this.#api.call({ path: PATH, ...o })).json<WebhookList>().webhooks;
  }

  async get(id: string, o: CallOptions = {}): Promise<Webhook> {
    return (await this.#api.call({ path: webhookPath(id), ...o })).json();
  }

  async update(id: string, changes: UpdateWebhookRequest, o: CallOptions = {}): Promise<Webhook> {
    return (await this.#api.call({ method: "PATCH", path: webhookPath(id), body: changes, ...o })).json();
  }

  /** Also deletes the log of its deliveries. */
  async delete(id: string, o: CallOptions = {}): Promise<void> {
    await this.#api.call({ method: "DELETE", path: webhookPath(id), expects: [204], isRepeatable: false, ...o });
  }

  /** Issues a new secret. For 24 hours, requests are signed with both. */
  async rotate(id: string, o: CallOptions = {}): Promise<IssuedWebhook> {
    // A second rotation would replace the secret issued by the first.
    const request = { method: "POST", path: `${webhookPath(id)}/rotate`, isRepeatable: false } as const;
    return (await this.#api.call({ ...request, ...o })).json();
  }

  /** Sends a test event once and returns how the receiver responded. */
  async test(id: string, o: CallOptions = {}): Promise<Delivery> {
    const request = { method: "POST", path: `${webhookPath(id)}/test`, isRepeatable: false } as const;
    return (await this.#api.call({ ...request, ...o })).json();
  }

  /** Iterates over the requests to a webhook, newest first. */
  async *deliveries(id: string, o: CallOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    for await (const page of pages<DeliveryList>(this.#api, `${webhookPath(id)}/deliveries`, o)) yield* page.deliveries;
  }

  /** Returns one request to a webhook and the response, with their headers and bodies. */
  async delivery(id: string, deliveryId: string, o: CallOptions = {}): Promise<DeliveryDetails> {
    return (
      await this.#api.call({ path: `${webhookPath(id)}/deliveries/${encodeURIComponent(deliveryId)}`, ...o })
    ).json();
  }

  /** Sends the event of a delivery again, once, and returns how the receiver responded. */
  async redeliver(id: string, deliveryId: string, o: CallOptions = {}): Promise<Delivery> {
    const path = `${webhookPath(id)}/deliveries/${encodeURIComponent(deliveryId)}/redeliver`;
    return (await this.#api.call({ method: "POST", path, isRepeatable: false, ...o })).json();
  }
}

function webhookPath(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}
