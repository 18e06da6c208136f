import type { Credentials } from "../../src/objects/sigv4.ts";
import type { ObjectStore } from "../../src/objects/store.ts";

/** A store to try, empty when it is opened, with the server that its links point to. */
export interface StoreUnderTest {
  store: ObjectStore;
  credentials: Credentials;
  /** The same place, signing with other keys. */
  signedWith(credentials: Credentials): ObjectStore;
  close(): Promise<void>;
}
