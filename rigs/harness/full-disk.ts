import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";

/** Makes every write through a file handle of this process fail with ENOSPC until the result is disposed. */
export async function fullDisk(): Promise<Disposable> {
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-full-disk-"));
  await using handle = await open(join(directory, "file"), "w");
  const error = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", errno: -28 });
  const spy = vi.spyOn(Object.getPrototypeOf(handle), "writeFile").mockRejectedValue(error);
  await rm(directory, { recursive: true });
  return { [Symbol.dispose]: () => spy.mockRestore() };
}
