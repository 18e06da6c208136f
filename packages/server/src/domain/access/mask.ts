const V2_KEY = /(dbd_[0-9A-Za-z]{8}_)[0-9A-Za-z]{8,}/g;
const V1_KEY = /[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}/gi;

/** Keeps the public prefix of v2 keys and hides their secrets. For texts with ids, which look like v1 keys. */
export function maskV2Keys(text: string): string {
  return text.replace(V2_KEY, "$1***");
}

/** Replaces everything that looks like a key; of a v2 key the public prefix stays. */
export function maskKeys(text: string): string {
  return maskV2Keys(text).replace(V1_KEY, "***");
}
