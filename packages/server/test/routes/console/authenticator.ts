import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { Reply } from "../../../../../rigs/harness/service/customer.ts";
import type { Person } from "./person.ts";

const USER_PRESENT = 0x01;
const HAS_CREDENTIAL = 0x40;

interface Options {
  challenge: string;
}

/** A security key in software: ES256, without attestation. */
export class Authenticator {
  readonly #origin: string;
  readonly #id = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #coseKey: Buffer;
  counter = 0;

  constructor(apiUrl: string) {
    // The server is opened as localhost, because browsers allow no passkeys for IP addresses.
    this.#origin = apiUrl.replace("127.0.0.1", "localhost");
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#privateKey = privateKey;
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const head = Buffer.from("a5010203262001215820", "hex");
    const middle = Buffer.from("225820", "hex");
    this.#coseKey = Buffer.concat([head, Buffer.from(x, "base64url"), middle, Buffer.from(y, "base64url")]);
  }

  create({ challenge }: Options) {
    const length = Buffer.from([0, this.#id.length]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, this.#coseKey]);
    const data = Buffer.concat([this.#data(USER_PRESENT | HAS_CREDENTIAL), credential]);
    // {"fmt": "none", "attStmt": {}, "authData": data} in CBOR.
    const start = Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex");
    const attestationObject = Buffer.concat([start, Buffer.from([data.length]), data]).toString("base64url");
    return this.#response({ clientDataJSON: this.#client("webauthn.create", challenge), attestationObject });
  }

  use({ challenge }: Options) {
    this.counter += 1;
    const data = this.#data(USER_PRESENT);
    const clientDataJSON = this.#client("webauthn.get", challenge);
    const hash = createHash("sha256").update(Buffer.from(clientDataJSON, "base64url")).digest();
    const signature = sign("sha256", Buffer.concat([data, hash]), this.#privateKey).toString("base64url");
    return this.#response({ clientDataJSON, authenticatorData: data.toString("base64url"), signature });
  }

  #data(flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const site = createHash("sha256").update(new URL(this.#origin).hostname).digest();
    return Buffer.concat([site, Buffer.from([flags]), counter]);
  }

  #client(type: string, challenge: string): string {
    const data = { type, challenge, origin: this.#origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data)).toString("base64url");
  }

  #response(response: object) {
    const id = this.#id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }
}

/** Adds the passkey of an authenticator. */
export async function addPasskey(person: Person, authenticator: Authenticator, name = "Blue key"): Promise<Reply> {
  const { token, options } = (await person.post("/api/console/passkeys/options")).json;
  return person.post("/api/console/passkeys", { token, name, response: authenticator.create(options) });
}
