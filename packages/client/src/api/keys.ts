import type { Api } from "./api.ts";
import { pages } from "./paging.ts";
import type {
  ApiKeyList,
  ChangedKey,
  CreatedKey,
  CreateKeyRequest,
  ListedApiKey,
  UpdateKeyRequest,
} from "./wire.gen.ts";

const PATH = "/api/v1/iam/apikeys";

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Manages the keys of your organization. Your own key needs the scope `apikeys.manage`. */
export class Keys {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Creates a key. Only this response contains the secret. A key is never created twice: if the response is lost, the
   * call fails with `conflict`, and the list shows the key so that you can revoke it.
   */
  async create(request: CreateKeyRequest, o: CallOptions = {}): Promise<CreatedKey> {
    const headers = { "idempotency-key": crypto.randomUUID() };
    return (await this.#api.call({ method: "POST", path: PATH, body: request, headers, ...o })).json();
  }

  async list(o: CallOptions = {}): Promise<ListedApiKey[]> {
    const keys: ListedApiKey[] = [];
    for await (const page of pages<ApiKeyList>(this.#api, PATH, o)) keys.push(...page.keys);
    return keys;
  }

  /** Issues a new secret. The old one keeps working for `overlapSeconds` (default: 0). */
  async rotate(id: string, o: CallOptions & { overlapSeconds?: number | undefined } = {}): Promise<CreatedKey> {
    const { overlapSeconds, signal } = o;
    const body = overlapSeconds === undefined ? {} : { overlap_seconds: overlapSeconds };
    const request = { method: "POST", path: `${keyPath(id)}/rotate`, body, signal } as const;
    // A second rotation would invalidate the secret issued by the first.
    return (await this.#api.call({ ...request, isRepeatable: false })).json();
  }

  /** Makes the old secret of a rotated key stop working now. */
  async endOverlap(id: string, o: CallOptions = {}): Promise<ChangedKey> {
    return (await this.#api.call({ method: "POST", path: `${keyPath(id)}/end-overlap`, body: {}, ...o })).json();
  }

  async revoke(id: string, o: CallOptions = {}): Promise<ChangedKey> {
    return (await this.#api.call({ method: "POST", path: `${keyPath(id)}/revoke`, body: {}, ...o })).json();
  }

  async update(id: string, changes: UpdateKeyRequest, o: CallOptions = {}): Promise<ChangedKey> {
    return (await this.#api.call({ method: "PATCH", path: keyPath(id), body: changes, ...o })).json();
  }
}

function keyPath(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}
