import { DbdepotError } from "../errors.ts";
import type { HttpResponse } from "../http/http.ts";
import type { Api } from "./api.ts";
import { serviceError } from "./response-errors.ts";
import { Retries } from "./retry.ts";
import type { DatabaseChanges } from "./wire.gen.ts";

export interface ChangesOptions {
  /** The id of the older build (default: the one that `to` replaced). */
  from?: string | undefined;
  /** The id of the newer build (default: the current build). */
  to?: string | undefined;
  signal?: AbortSignal | undefined;
}

const CHANGES = "/api/v2/database/changes";

export async function changes(api: Api, id: string, { from, to, signal }: ChangesOptions): Promise<DatabaseChanges> {
  return (await api.call({ path: CHANGES, query: { id, from, to }, signal })).json();
}

/** Retries until the rows begin. A transfer that breaks later fails, because it cannot be resumed. */
export async function* changedRows(
  api: Api,
  id: string,
  { from, to, signal }: ChangesOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const request = { path: CHANGES, query: { id, from, to, rows: 1 }, signal };
  const retries = new Retries(api.retryPolicy, signal);
  let response: HttpResponse | undefined;
  while (!response) {
    try {
      const answer = await api.fetchFromService(request);
      if (answer.status !== 200) throw serviceError(answer, await answer.text());
      response = answer;
    } catch (error) {
      if (!(error instanceof DbdepotError)) throw error;
      await retries.waitAfter(error);
    }
  }
  yield* response.chunks();
}
