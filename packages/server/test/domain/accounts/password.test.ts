import { argon2Sync } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  hashPassword,
  type PasswordHash,
  PasswordQueueFull,
  requirePassword,
  verifyPassword,
} from "../../../src/domain/accounts/password.ts";

/** Takes little time to check. */
const CHEAP = `$argon2id$v=19$m=64,t=1,p=1$${"A".repeat(22)}$${"A".repeat(43)}` as PasswordHash;

describe("a password's hash", () => {
  it("is an argon2id PHC string with the cost that OWASP recommends and its own salt", async () => {
    const [one, other] = [await hashPassword("correct horse"), await hashPassword("correct horse")];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(other).not.toBe(one);
    const [, , , , salt = "", tag] = one.split("$");
    const cost = { memory: 19456, passes: 2, parallelism: 1, tagLength: 32 };
    const derived = argon2Sync("argon2id", { message: "correct horse", nonce: Buffer.from(salt, "base64"), ...cost });
    expect(derived.toString("base64").replace("=", "")).toBe(tag);
  });

  it("matches only the password", async () => {
    const hash = await hashPassword("correct horse");
    expect(await verifyPassword("correct horse", hash)).toBe(true);
    for (const wrong of ["", "correct horse ", "Correct horse", "correct hors"]) {
      expect(await verifyPassword(wrong, hash)).toBe(false);
    }
  });

  it("matches the same characters in another Unicode form", async () => {
    expect(await verifyPassword("pässword".normalize("NFD"), await hashPassword("pässword".normalize("NFC")))).toBe(
      true,
    );
  });

  it("is verified with its own cost, so that the cost can be raised later", async () => {
    const nonce = Buffer.alloc(16, 7);
    const tag = argon2Sync("argon2id", { message: "old", nonce, memory: 64, passes: 1, parallelism: 1, tagLength: 32 });
    const [salt, sum] = [nonce, tag].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
    expect(await verifyPassword("old", `$argon2id$v=19$m=64,t=1,p=1$${salt}$${sum}` as PasswordHash)).toBe(true);
  });

  it("never matches if it is missing", async () => {
    expect(await verifyPassword("", null)).toBe(false);
    expect(await verifyPassword("anything", null)).toBe(false);
  });
});

it("at most 64 passwords are checked or wait for it at the same time", async () => {
  const checks = Array.from({ length: 70 }, () => verifyPassword("guess", CHEAP));
  const results = await Promise.allSettled(checks);
  expect(results.slice(0, 64).map(({ status }) => status)).toEqual(Array(64).fill("fulfilled"));
  for (const result of results.slice(64)) {
    expect(result).toMatchObject({ status: "rejected", reason: expect.any(PasswordQueueFull) });
  }
  expect(await verifyPassword("guess", CHEAP)).toBe(false);
});

it("a password must have 12 to 256 characters", () => {
  for (const password of ["", "eleven char", "🔑".repeat(11), "x".repeat(257)]) {
    expect(() => requirePassword(password)).toThrow("12 to 256 characters");
  }
  for (const password of ["twelve chars", "🔑".repeat(12), "x".repeat(256)]) requirePassword(password);
});
