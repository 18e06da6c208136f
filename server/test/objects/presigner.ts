import { type Authority, createPresigner, type LinkRequest } from "../../src/objects/sigv4.ts";

/** A link with its time. */
export interface TimedRequest extends LinkRequest {
  signed: Date;
  expiresSeconds: number;
}

/** Signs links in one go. */
export function presigner(origin: string, authority: Authority): (request: TimedRequest) => string {
  const prepare = createPresigner(origin, authority);
  return ({ signed, expiresSeconds, ...request }) => prepare(request)(signed, expiresSeconds);
}
