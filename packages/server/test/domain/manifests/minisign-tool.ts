import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type DetachedSignature,
  parsePublicKey,
  parseSignature,
  type SignaturePublicKey,
  verifyDetached,
} from "@dbdepot/formats/minisign";

/** Verifies a signature as our clients do. minisign.test.ts compares this with the command. */
export function verify(text: string, signature: string, publicKey: string): boolean {
  const key = parsePublicKey(publicKey) as SignaturePublicKey;
  return verifyDetached(Buffer.from(text), parseSignature(signature) as DetachedSignature, key);
}

/** Runs `minisign -V` of the operating system. Returns its exit code and what it prints. */
export function minisignVerify(message: string | Buffer, signature: string, publicKey: string) {
  const directory = mkdtempSync(join(tmpdir(), "dbdepot-minisign-"));
  try {
    const [file, signatureFile] = [join(directory, "message"), join(directory, "signature")];
    writeFileSync(file, message);
    writeFileSync(signatureFile, signature);
    const { status, stdout, stderr } = spawnSync("minisign", ["-V", "-m", file, "-x", signatureFile, "-P", publicKey], {
      encoding: "utf8",
    });
    return { status, output: `${stdout}${stderr}` };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
