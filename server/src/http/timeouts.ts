/** How long the API waits for a client. Tests use shorter times. */
export interface Timeouts {
  headersMs: number;
  /** For a JSON body to arrive completely. */
  bodyMs: number;
  /** A slow client may take hours; one that neither takes nor sends a byte for this long has gone without saying so. */
  stalledMs: number;
  /** For a client to finish sending a body after the response to it was sent. */
  unreadBodyMs: number;
  /** Longer than the 60 s of common load balancers: otherwise they would use a connection that is just being closed. */
  keepAliveMs: number;
}

export const TIMEOUTS: Timeouts = {
  headersMs: 60_000,
  bodyMs: 30_000,
  stalledMs: 10 * 60_000,
  unreadBodyMs: 5_000,
  keepAliveMs: 72_000,
};
