import type { Format } from "@dbdepot/contract/shared/formats";

/** The digest of an empty file, from which a compressed copy starts. */
export const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

interface PatchFile {
  objectKey: string;
  sizeBytes: number;
  sha256: string;
}

/**
 * Turns a file of one build into the file of another, for customers who have the first one. It is offered only while
 * its result is the current file, and says nothing about licences: anyone who may download the result may have it.
 */
export interface Patch {
  id: string;
  versionId: string;
  format: Format;
  /** The build whose file is the result. */
  buildId: string;
  /** The build whose file the customer has. Null for a compressed copy of the whole file. */
  baseBuildId: string | null;
  baseSha256: string;
  /** Null if the patch was dropped. */
  file: PatchFile | null;
  /** Why the patch was dropped; null if it was not. */
  reason: string | null;
  durationMs: number;
  created: Date;
}

/** A patch that customers can download. */
export type OfferedPatch = Patch & { file: PatchFile };

/** Version ids contain neither slashes nor dots, and object keys contain the id, so nothing is ever overwritten. */
export function patchKeyOf({ versionId, buildId, id }: Pick<Patch, "versionId" | "buildId" | "id">): string {
  return `${versionId}/${buildId}/${id}${PATCH_EXTENSION}`;
}

const PATCH_EXTENSION = ".patch";

/** Whether an object is a patch and not a file of a build. */
export function isPatchKey(objectKey: string): boolean {
  return objectKey.endsWith(PATCH_EXTENSION);
}

/** The id of the patch that is stored under this key; undefined if it is not a patch of this version. */
export function patchIdOf(objectKey: string, versionId: string): string | undefined {
  const [version, , name = "", ...rest] = objectKey.split("/");
  if (version !== versionId || rest.length > 0 || !isPatchKey(name)) return undefined;
  return name.slice(0, -PATCH_EXTENSION.length);
}
