/**
 * A fault says in one clear line why an operator's or customer's change was not made. It is thrown inside the transaction,
 * so that the change is rolled back. Refused downloads are not faults but verdicts (downloads/decide.ts).
 */
export type FaultKind =
  | "invalid"
  | "invalid_url"
  | "not_found"
  | "conflict"
  | "too_many_keys"
  | "too_many_webhooks"
  | "too_many_destinations"
  | "deliveries_not_allowed"
  | "way_not_available";

export class Fault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string) {
    super(message);
    this.name = "Fault";
    this.kind = kind;
  }
}

export function invalid(message: string): Fault {
  return new Fault("invalid", message);
}

export function notFound(message: string): Fault {
  return new Fault("not_found", message);
}

export function conflict(message: string): Fault {
  return new Fault("conflict", message);
}

/** The database, the object storage or the disk cannot serve the request now. The same request may succeed later. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}
