import type { Database } from "../api/wire.gen.ts";

/** Whether the licence allows downloads, or none is needed. */
export function isDownloadable({ standing, open }: Pick<Database, "standing" | "open">): boolean {
  return standing === "licensed" || open;
}
