const V2_KEY = /(dbd_[0-9A-Za-z]{8}_)[0-9A-Za-z]{8,}/g;
const V1_KEY = /[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}/gi;

/** Replaces everything that looks like a key; of a v2 key the public prefix stays. */
export function maskKeys(text: string): string {
  return text.replace(V2_KEY, "$1***").replace(V1_KEY, "***");
}
