import { createHash } from "node:crypto";
import { readChunks } from "./read-chunks.ts";

export async function sha256OfFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of readChunks(path, signal)) hash.update(chunk);
  return hash.digest("hex");
}
