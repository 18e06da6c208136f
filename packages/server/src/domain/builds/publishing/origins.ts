import { setTimeout as delay } from "node:timers/promises";
import { type FileKind, fileName } from "@dbdepot/contract/shared/formats";
import { conflict } from "../../../platform/primitives/faults.ts";
import type { Build, BuildFile } from "../build.ts";
import type { ObjectStore } from "../object-store.ts";

const REQUEST_TIMEOUT_MS = 10_000;
const POLL_MS = 2000;
const LINK_SECONDS = 60;

export interface OriginWait {
  /** How long to wait for all of them together. 0: they are not checked. */
  waitSeconds: number;
  /** Called once for each file that an origin does not have. */
  onWaiting?: ((problem: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Fails unless every origin that customers download from has all files of the build. The vendor's storage copies them there,
 * which takes a while.
 */
export async function requireAtOrigins(
  objects: ObjectStore,
  build: Build,
  { waitSeconds, onWaiting, signal }: OriginWait,
): Promise<void> {
  if (waitSeconds === 0 || objects.linkRegions.length < 2) return;
  const endMs = performance.now() + waitSeconds * 1000;
  const files = Object.entries(build.files) as [FileKind, BuildFile][];
  for (const region of objects.linkRegions) {
    for (const [kind, file] of files) {
      const name = fileName(build.versionId, kind);
      for (let checks = 0; ; checks += 1) {
        const found = await sizeAt(objects, region, file, name);
        if (found === file.sizeBytes) break;
        const problem = `the origin "${region}" does not have ${name} yet (${typeof found === "string" ? found : `it has ${found} bytes instead of ${file.sizeBytes}`})`;
        if (performance.now() >= endMs) {
          throw conflict(
            `${problem} after ${waitSeconds} s, so the build is not published: check the replication of your storage, then publish again`,
          );
        }
        if (checks === 0) onWaiting?.(problem);
        await delay(POLL_MS, undefined, { signal });
      }
    }
  }
}

/** The size of the file as a customer in the region gets it, or why there is none. */
async function sizeAt(
  objects: ObjectStore,
  region: string,
  { objectKey }: BuildFile,
  filename: string,
): Promise<number | string> {
  const contentType = "application/octet-stream";
  const link = objects.link(objectKey, { region, ttlSeconds: LINK_SECONDS, filename, contentType, now: new Date() });
  try {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const response = await fetch(link, { method: "HEAD", redirect: "manual", signal });
    return response.status === 200 ? Number(response.headers.get("content-length")) : `status ${response.status}`;
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    return cause?.code ?? message;
  }
}
