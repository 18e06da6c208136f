import type { SecretHash } from "../access/secret.ts";
import type { Approval, AuthorizationCode, DeviceRequest, SignIn } from "./sign-in.ts";

/** A refresh token, found by its hash. */
interface RefreshToken {
  signInId: string;
  /** Whether it has been exchanged for a newer one. */
  isUsed: boolean;
}

export interface SignInStore {
  /** Not a change in the sense of `Store.change`: registers ignore requests. Also removes requests that have expired. */
  insertRequest(request: DeviceRequest, codes: { device: SecretHash; user: SecretHash }): Promise<void>;
  requestByDeviceCode(hash: SecretHash): Promise<DeviceRequest | undefined>;
  requestByUserCode(hash: SecretHash): Promise<DeviceRequest | undefined>;
  /** Not a change in the sense of `Store.change`. */
  setPolled(id: string, time: Date): Promise<void>;
  approveRequest(id: string, approval: Approval): Promise<void>;
  denyRequest(id: string): Promise<void>;
  removeRequest(id: string): Promise<void>;

  /** Also removes codes that have expired. */
  insertCode(code: AuthorizationCode, hash: SecretHash, now: Date): Promise<void>;
  codeByHash(hash: SecretHash): Promise<AuthorizationCode | undefined>;
  useCode(hash: SecretHash, signInId: string): Promise<void>;

  /** Also removes sign-ins whose key has expired or was revoked. */
  insert(signIn: SignIn, refreshHash: SecretHash): Promise<void>;
  byId(id: string): Promise<SignIn | undefined>;
  byKey(keyId: string): Promise<SignIn | undefined>;
  ofAccount(accountId: string): Promise<SignIn[]>;
  refreshToken(hash: SecretHash): Promise<RefreshToken | undefined>;
  /** Replaces the newest refresh token. The old ones are kept, to notice that one is used again. */
  renew(signIn: SignIn, used: SecretHash, next: SecretHash): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes what the person approved and no program has picked up yet. */
  removeApprovals(accountId: string): Promise<void>;
}
