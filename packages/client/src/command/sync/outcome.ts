import type { Format } from "../../api/wire.gen.ts";
import type { DownloadMethod } from "../../download/options.ts";
import type { Failure } from "./status.ts";

/** When the vendor last said that the build is the newest one, and until when that may be relied on. */
interface Freshness {
  current_as_of: string | null;
  valid_until: string | null;
}

/** The result for one file in one round. */
export type Outcome = {
  database: string;
  /** Null if the failure was not about a particular file. */
  file: string | null;
  format: Format | null;
} & (
  | ({
      result: "changed";
      build_id: string | null;
      updated: string | null;
      size_bytes: number;
      /** The number of bytes that were downloaded, or would be. */
      received_bytes: number;
      method: DownloadMethod;
      /** Why a patch could not be used, so that the whole file was downloaded; null if it was not tried or worked. */
      patch_failure: string | null;
    } & Freshness)
  | ({ result: "unchanged"; build_id: string | null; updated: string | null; size_bytes: number } & Freshness)
  | ({ result: "failed"; error: unknown } & Omit<Failure, "since">)
);

/** Its name in reports and in the status file. */
export function nameOf({ file, database }: Pick<Outcome, "file" | "database">): string {
  return file ?? database;
}
