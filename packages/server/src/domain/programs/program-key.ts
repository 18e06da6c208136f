import type { Scope } from "@dbdepot/contract/shared/scopes";

export const DEVICE_REQUEST_SECONDS = 900;
export const POLL_INTERVAL_SECONDS = 5;
/** Networks delay requests differently, so a poll may come a little early. */
const POLL_TOLERANCE_MS = 1000;
/** The browser passes the code on at once. */
export const CODE_SECONDS = 60;

/** A program that asks to be signed in, and where it asks from. */
export interface RequestedAccess {
  programId: string;
  scopes: Scope[];
  /** The name that the program gives its machine. Any program could claim any name. */
  host: string | null;
  address: string;
}

/** The access that a person has agreed to. */
export interface Approval {
  accountId: string;
  organizationId: string;
  scopes: Scope[];
  /** How long the key lives after each renewal. */
  days: number;
}

/** A program waits until a person enters its user code in the console. Both codes are stored as hashes. */
export interface DeviceRequest extends RequestedAccess {
  id: string;
  created: Date;
  expires: Date;
  lastPolled: Date | null;
  isDenied: boolean;
  approval: Approval | null;
}

/** A code with which the program that receives it gets its key. Stored as a hash. */
export interface AuthorizationCode extends RequestedAccess {
  redirect: string;
  /** The SHA-256 of the verifier that only the program knows (PKCE). */
  challenge: string;
  approval: Approval;
  expires: Date;
  /** The program key that the code was exchanged for. If the code is sent again, it was stolen, and the program key is revoked. */
  programKeyId: string | null;
}

/** A key that a program holds for a person, and renews with a refresh token. After it ends, it still says whose program used the key. */
export interface ProgramKey {
  id: string;
  programId: string;
  accountId: string;
  keyId: string;
  days: number;
  /** The end that the key got at the last renewal. If the key has another one, it was changed since then. */
  keyExpires: Date;
  created: Date;
}

export function polledTooSoon({ lastPolled }: DeviceRequest, now: Date): boolean {
  if (!lastPolled) return false;
  return now.getTime() - lastPolled.getTime() < POLL_INTERVAL_SECONDS * 1000 - POLL_TOLERANCE_MS;
}
