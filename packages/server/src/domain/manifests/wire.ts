import type { SignedFreshness } from "@dbdepot/contract/v2/freshness";
import type { SignedManifest, SigningKeys, BuildSignature as WireSignature } from "@dbdepot/contract/v2/manifests";
import type { Freshness, FreshnessKey } from "./freshness.ts";
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
export function signingKeysToWire(
  keys: readonly SigningKey[],
  freshnessKeys: readonly FreshnessKey[] = [],
): SigningKeys {
  return {
    format: 1,
    keys: keys.map(signingKeyToWire),
    ...(freshnessKeys.length > 0 && { freshness_keys: freshnessKeys.map(freshnessKeyToWire) }),
  };
}

export function freshnessKeyToWire({ keyId, publicKey, created, expires, endorsement }: FreshnessKey) {
  return {
    key_id: keyId,
    public_key: publicKey,
    created: created.toISOString(),
    expires: expires.toISOString(),
    endorsement,
  };
}

export function freshnessToWire(
  { versionId, sequence, issued, validUntil, keyId, body, signature }: Freshness,
  { endorsement }: FreshnessKey,
): SignedFreshness {
  return {
    id: versionId,
    sequence,
    issued: issued.toISOString(),
    valid_until: validUntil.toISOString(),
    key_id: keyId,
    statement: body,
    signature,
    endorsement,
  };
}

export function signatureToWire(signature: BuildSignature | undefined): WireSignature | null {
  return signature ? { sequence: signature.sequence, key_id: signature.keyId } : null;
}
