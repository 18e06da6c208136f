import type { SignedManifest, SigningKeys, BuildSignature as WireSignature } from "@dbdepot/contract/v2/manifests";
import type { BuildSignature, ChainEntry } from "./manifest.ts";
import type { SigningKey } from "./signing-key.ts";

export function signedManifestToWire({
  versionId,
  sequence,
  buildId,
  keyId,
  body,
  signature,
}: ChainEntry): SignedManifest {
  return { id: versionId, sequence, build_id: buildId, key_id: keyId, manifest: body, signature };
}

export function signingKeyToWire({
  keyId,
  publicKey,
  created,
  expires,
  endorsement,
}: SigningKey): SigningKeys["keys"][number] {
  return {
    key_id: keyId,
    public_key: publicKey,
    created: created.toISOString(),
    expires: expires?.toISOString() ?? null,
    endorsement,
  };
}

/** The document at /.well-known/dbdepot-keys.json. */
export function signingKeysToWire(keys: readonly SigningKey[]): SigningKeys {
  return { format: 1, keys: keys.map(signingKeyToWire) };
}

export function signatureToWire(signature: BuildSignature | undefined): WireSignature | null {
  return signature ? { sequence: signature.sequence, key_id: signature.keyId } : null;
}
