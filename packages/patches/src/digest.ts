import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

export async function sha256OfFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { ...(signal && { signal }) })) {
    hash.update(chunk);
  }
  return hash.digest("hex");
}
