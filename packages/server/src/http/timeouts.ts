/** How long the API waits for a client. Tests use shorter times. */
export const TIMEOUTS = {
  headersMs: 60_000,
  /** For a JSON body to arrive completely. */
  bodyMs: 30_000,
  /** A slow client may take hours, but one that transfers no byte for this long has disconnected without notice. */
  stalledMs: 10 * 60_000,
  /** For a client to finish sending a body after the response to it was sent. */
  unreadBodyMs: 5_000,
  /** Longer than the 60 s of common load balancers: otherwise they would use a connection that is just being closed. */
  keepAliveMs: 72_000,
  /** An event stream without events sends something this often. Shorter than the timeouts of common proxies. */
  heartbeatMs: 15_000,
};

export type Timeouts = typeof TIMEOUTS;
