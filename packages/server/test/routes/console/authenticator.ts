import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { Reply } from "../../../../../rigs/harness/service/customer.ts";
import { PASSWORD, type Person } from "./person.ts";

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

interface Options {
  challenge: string;
  user?: { id: string };
}

/** A security key in software: ES256, without attestation. */
export class Authenticator {
  /** The page that asks, as the browser sees it. */
  origin: string;
  readonly #id = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #coseKey: Buffer;
  counter = 0;
  /** Whether it stores the account with the passkey. */
  isDiscoverable = false;
  /** Whether it checks a PIN. */
  checksPerson = false;
  #user: string | undefined;

  constructor(apiUrl: string) {
    // The server is opened as localhost, because browsers allow no passkeys for IP addresses.
    this.origin = apiUrl.replace("127.0.0.1", "localhost");
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#privateKey = privateKey;
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const head = Buffer.from("a5010203262001215820", "hex");
    const middle = Buffer.from("225820", "hex");
    this.#coseKey = Buffer.concat([head, Buffer.from(x, "base64url"), middle, Buffer.from(y, "base64url")]);
  }

  get id(): string {
    return this.#id.toString("base64url");
  }

  create({ challenge, user }: Options) {
    this.#user = user?.id;
    const length = Buffer.from([0, this.#id.length]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, this.#coseKey]);
    const data = Buffer.concat([this.#data(this.#flags() | HAS_CREDENTIAL), credential]);
    // {"fmt": "none", "attStmt": {}, "authData": data} in CBOR.
    const start = Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex");
    const attestationObject = Buffer.concat([start, Buffer.from([data.length]), data]).toString("base64url");
    const response = { clientDataJSON: this.#client("webauthn.create", challenge), attestationObject };
    return { ...this.#response(response), clientExtensionResults: { credProps: { rk: this.isDiscoverable } } };
  }

  use({ challenge }: Options) {
    this.counter += 1;
    const data = this.#data(this.#flags());
    const clientDataJSON = this.#client("webauthn.get", challenge);
    const hash = createHash("sha256").update(Buffer.from(clientDataJSON, "base64url")).digest();
    const signature = sign("sha256", Buffer.concat([data, hash]), this.#privateKey).toString("base64url");
    const userHandle = this.isDiscoverable ? this.#user : undefined;
    return this.#response({ clientDataJSON, authenticatorData: data.toString("base64url"), signature, userHandle });
  }

  #flags(): number {
    return USER_PRESENT | (this.checksPerson ? USER_VERIFIED : 0);
  }

  #data(flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const site = createHash("sha256").update(new URL(this.origin).hostname).digest();
    return Buffer.concat([site, Buffer.from([flags]), counter]);
  }

  #client(type: string, challenge: string): string {
    const data = { type, challenge, origin: this.origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data)).toString("base64url");
  }

  #response(response: object) {
    return { id: this.id, rawId: this.id, type: "public-key", clientExtensionResults: {}, response };
  }
}

/** Adds the passkey of an authenticator. */
export async function addPasskey(person: Person, authenticator: Authenticator, name = "Blue key"): Promise<Reply> {
  const { token, options } = (await person.post("/api/console/passkeys/options", { password: PASSWORD })).json;
  return person.post("/api/console/passkeys", { token, name, response: authenticator.create(options) });
}
