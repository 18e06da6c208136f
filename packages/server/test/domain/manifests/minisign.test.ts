import { spawnSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type DetachedSignature,
  parsePublicKey,
  parseSignature,
  type SignaturePublicKey,
  signaturePublicKey,
  signDetached,
  verifyDetached,
} from "@dbdepot/formats/minisign";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { minisignVerify } from "./minisign-tool.ts";

const { privateKey } = generateKeyPairSync("ed25519");
const publicKey = signaturePublicKey(createPublicKey(privateKey));
const message = Buffer.from('{"a":1}\n');
const text = signDetached(message, privateKey, "a trusted comment");
const signature = parseSignature(text) as DetachedSignature;

describe("minisign signatures", () => {
  it("verify with the key that made them and no other", () => {
    expect(signature).toMatchObject({ keyId: publicKey.keyId, trustedComment: "a trusted comment" });
    expect(verifyDetached(message, signature, publicKey)).toBe(true);
    const other = signaturePublicKey(generateKeyPairSync("ed25519").publicKey);
    expect(verifyDetached(message, signature, other)).toBe(false);
    // An id proves nothing.
    expect(verifyDetached(message, { ...signature, keyId: other.keyId }, other)).toBe(false);
  });

  it("do not verify another message or another trusted comment", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, comment) => {
        if (!message.equals(bytes)) expect(verifyDetached(bytes, signature, publicKey)).toBe(false);
        const isSame = comment === signature.trustedComment;
        expect(verifyDetached(message, { ...signature, trustedComment: comment }, publicKey)).toBe(isSame);
      }),
    );
  });

  it("do not verify if any character of the signature is changed", () => {
    const start = text.indexOf("\n");
    fc.assert(
      fc.property(
        fc.integer({ min: start, max: text.length - 2 }),
        fc.string({ minLength: 1, maxLength: 1 }),
        (at, by) => {
          if (text[at] === by) return;
          const parsed = parseSignature(`${text.slice(0, at)}${by}${text.slice(at + 1)}`);
          // Whitespace around base64 has no meaning.
          const isTrimmed =
            parsed?.signature.equals(signature.signature) && parsed.trustedComment === signature.trustedComment;
          expect(parsed !== undefined && !isTrimmed && verifyDetached(message, parsed, publicKey)).toBe(false);
        },
      ),
    );
  });

  it("are parsed from any text without an exception", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.string().map((s) => `${text}${s}`),
        ),
        (foreign) => {
          parseSignature(foreign);
          parsePublicKey(foreign);
        },
      ),
    );
    expect(parseSignature("x".repeat(10_000))).toBeUndefined();
    expect(parsePublicKey(`untrusted comment: x\n${publicKey.text}\n`)?.keyId).toBe(publicKey.keyId);
    expect(parsePublicKey(publicKey.text.slice(0, -4))).toBeUndefined();
  });
});

describe("the minisign command", needs("minisign"), () => {
  it("verifies our signatures and rejects changed messages", () => {
    const accepted = minisignVerify(message, text, publicKey.text);
    expect(accepted.output).toContain("Trusted comment: a trusted comment");
    expect(accepted.status).toBe(0);
    expect(minisignVerify("other", text, publicKey.text).status).not.toBe(0);
    expect(minisignVerify(message, text.replace("a trusted", "another"), publicKey.text).status).not.toBe(0);
  });

  describe("with its own key", () => {
    let directory: string;
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), "dbdepot-minisign-"));
      const [pub, secret, file] = ["pub", "secret", "file"].map((name) => join(directory, name)) as [
        string,
        string,
        string,
      ];
      writeFileSync(file, message);
      expect(spawnSync("minisign", ["-G", "-W", "-p", pub, "-s", secret]).status).toBe(0);
      expect(spawnSync("minisign", ["-S", "-s", secret, "-m", file]).status).toBe(0);
    });
    afterAll(() => rmSync(directory, { recursive: true }));

    it("makes keys and signatures that we can read and verify", () => {
      const key = parsePublicKey(readFileSync(join(directory, "pub"), "utf8")) as SignaturePublicKey;
      const made = parseSignature(readFileSync(join(directory, "file.minisig"), "utf8")) as DetachedSignature;
      // minisign prints the id without leading zeros.
      expect(readFileSync(join(directory, "pub"), "utf8")).toContain(key.keyId.replace(/^0+/, ""));
      expect(verifyDetached(message, made, key)).toBe(true);
      expect(verifyDetached(Buffer.from("other"), made, key)).toBe(false);
    });
  });
});
