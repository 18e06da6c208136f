import { REQUEST_STATES } from "@dbdepot/contract/shared/choices";

export type RequestState = (typeof REQUEST_STATES)[number];

/** The part of the URL after "?". */
export interface RequestFilter {
  state?: RequestState;
  /** The id of the request whose details are open. */
  request?: string;
}

export function parseRequestFilter({ state, request }: Record<string, unknown>): RequestFilter {
  const known = REQUEST_STATES.find((each) => each === state);
  return { ...(known && { state: known }), ...(typeof request === "string" && request !== "" && { request }) };
}
