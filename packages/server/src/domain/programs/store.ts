import type { SecretHash } from "../access/secret.ts";
import type { Approval, AuthorizationCode, DeviceRequest, ProgramKey } from "./program-key.ts";

/** A refresh token, found by its hash. */
interface RefreshToken {
  programKeyId: string;
  /** Whether it has been exchanged for a newer one. */
  isUsed: boolean;
}

export interface ProgramStore {
  /** This is not a change in the sense of `Store.change`: registers ignore requests. It also removes requests that have expired. */
  insertRequest(request: DeviceRequest, codes: { device: SecretHash; user: SecretHash }): Promise<void>;
  requestByDeviceCode(hash: SecretHash): Promise<DeviceRequest | undefined>;
  requestByUserCode(hash: SecretHash): Promise<DeviceRequest | undefined>;
  /** This is not a change in the sense of `Store.change`. */
  setPolled(id: string, time: Date): Promise<void>;
  approveRequest(id: string, approval: Approval): Promise<void>;
  denyRequest(id: string): Promise<void>;
  removeRequest(id: string): Promise<void>;

  /** Stores a code, and removes those that have expired. */
  insertCode(code: AuthorizationCode, hash: SecretHash, now: Date): Promise<void>;
  codeByHash(hash: SecretHash): Promise<AuthorizationCode | undefined>;
  useCode(hash: SecretHash, programKeyId: string): Promise<void>;

  /** This also ends program keys that have expired or were revoked. */
  insert(programKey: ProgramKey, refreshHash: SecretHash): Promise<void>;
  /** This and the next three methods find only program keys that have not ended. */
  byId(id: string): Promise<ProgramKey | undefined>;
  byKey(keyId: string): Promise<ProgramKey | undefined>;
  ofAccount(accountId: string): Promise<ProgramKey[]>;
  /** Lists the program keys of the organization, no matter who approved them. */
  ofOrganization(organizationId: string): Promise<ProgramKey[]>;
  refreshToken(hash: SecretHash): Promise<RefreshToken | undefined>;
  /** Replaces the newest refresh token. The old ones are kept, to notice that one is used again. */
  renew(programKey: ProgramKey, used: SecretHash, next: SecretHash): Promise<void>;
  /** Removes the refresh tokens. The program key stays, because it says whose program used the key. */
  end(id: string, time: Date): Promise<void>;
  /** Removes what the person approved and no program has picked up yet. */
  removeApprovals(accountId: string): Promise<void>;
  /** The same for what anyone approved for the organization. */
  removeApprovalsFor(organizationId: string): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    programs: ProgramStore;
  }
}
