import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { inspect } from "node:util";
import { signaturePublicKey, signDetached } from "@dbdepot/formats/minisign";

/** The public half of a key that signs manifests. */
export interface SigningKey {
  /** 16 hexadecimal digits. */
  keyId: string;
  /** The public key as `minisign -P` expects it. */
  publicKey: string;
  created: Date;
  /** When its overlap with its successor ends; null while it is in use. */
  expires: Date | null;
  /** How its predecessor endorsed it; null for a first key, or one that replaced a lost key. */
  endorsement: SignedStatement | null;
  /** Whether it belongs to the vendor from whose mirror builds were imported. It never signs here. */
  isImported: boolean;
}

export interface SignedStatement {
  statement: string;
  signature: string;
}

/** A private key. It is never printed, logged or stored in the database. */
export class PrivateKey {
  readonly #key: KeyObject;
  readonly keyId: string;
  readonly publicKey: string;

  constructor(key: KeyObject) {
    const { keyId, text } = signaturePublicKey(createPublicKey(key));
    this.#key = key;
    this.keyId = keyId;
    this.publicKey = text;
  }

  static generate(): PrivateKey {
    return new PrivateKey(generateKeyPairSync("ed25519").privateKey);
  }

  sign(text: string, trustedComment: string): string {
    return signDetached(Buffer.from(text), this.#key, trustedComment);
  }

  /** PKCS#8, for the key file only. */
  reveal(): string {
    return this.#key.export({ type: "pkcs8", format: "pem" }).toString();
  }

  [inspect.custom](): string {
    return `PrivateKey ${this.keyId}`;
  }
}
