import type { Credentials } from "../../../src/adapters/objects/sigv4.ts";
import type { ObjectStore } from "../../../src/domain/builds/object-store.ts";

/** An empty store, with the server that its links point to. */
export interface StoreUnderTest {
  store: ObjectStore;
  credentials: Credentials;
  /** The same store, signing links with other credentials. */
  signedWith(credentials: Credentials): ObjectStore;
  close(): Promise<void>;
}
