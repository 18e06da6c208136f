import type { Consumption, Counted } from "./limits.ts";

/** Downloads that count although they may not be in the history yet. */
export interface Reservation extends Consumption {
  /** The id of the attempt, which ends the reservation when it is in the history. */
  id: string;
  /** Whether it is for further downloads, too. It ends when it is released. */
  isAhead: boolean;
  /** Ends it if the process crashes. */
  expires: Date;
}

export interface LimitStore {
  /**
   * Stores the reservation that `decide` returns, if any. Reservations of an organization are decided one after the other across
   * all processes.
   */
  reserve(organizationId: string, now: Date, decide: (counted: Counted) => Reservation | undefined): Promise<void>;
  /** Ends a reservation. */
  release(id: string): Promise<void>;
}

declare module "../store.ts" {
  interface Store {
    /** This is not part of `Tables`: reservations need no revision. */
    limits: LimitStore;
  }
}
