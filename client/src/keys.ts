import type { Api } from "./request.ts";
import type { ApiKey, ApiKeyList, ChangedKey, CreatedKey, CreateKeyRequest, UpdateKeyRequest } from "./wire.ts";

const PATH = "/api/v1/iam/apikeys";

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** The keys of your organization. Your own needs the scope `apikeys.manage`. */
export class Keys {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Only this answer shows the new secret. The same creation is never made twice: if its answer is lost on the way the
   * error is a `conflict`, and the key that nobody has is in the list, to be revoked.
   */
  async create(request: CreateKeyRequest, o: CallOptions = {}): Promise<CreatedKey> {
    const headers = { "idempotency-key": crypto.randomUUID() };
    return (await this.#api.call({ method: "POST", path: PATH, body: request, headers, ...o })).json();
  }

  async list(o: CallOptions = {}): Promise<ApiKey[]> {
    return (await this.#api.call({ path: PATH, ...o })).json<ApiKeyList>().keys;
  }

  /** A new secret. The old one works on for as long as `overlapSeconds` says, which is 0 if it is left out. */
  async rotate(id: string, o: CallOptions & { overlapSeconds?: number | undefined } = {}): Promise<CreatedKey> {
    const { overlapSeconds, signal } = o;
    const body = overlapSeconds === undefined ? {} : { overlap_seconds: overlapSeconds };
    const request = { method: "POST", path: `${keyPath(id)}/rotate`, body, signal } as const;
    // Done twice, it would end the secret that the first one gave.
    return (await this.#api.call({ ...request, isRepeatable: false })).json();
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
