import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** Gives each test in the file its own folder. */
export function useFolder(parent = tmpdir()): () => string {
  let path: string;
  beforeEach(async () => {
    path = await mkdtemp(join(parent, "dbdepot-patches-"));
  });
  afterEach(() => rm(path, { recursive: true }));
  return () => path;
}
