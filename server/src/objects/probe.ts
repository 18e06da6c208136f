import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { ObjectKey, ObjectStore } from "./store.ts";

/** Writes, reads, lists and removes a small object. The error names the step that failed. */
export async function probe(store: ObjectStore): Promise<void> {
  const key = `probe/${randomUUID()}`;
  const content = Buffer.from(key);
  await step("write", () => store.put(key, Readable.from([content])));
  try {
    const read = await step("read", async () => buffer(await store.read(key)));
    if (!read.equals(content)) throw new Error("the object storage returned other bytes than were written");
    if (!(await step("list", () => isListed(store, key))))
      throw new Error("the object storage does not list an object that it has");
  } finally {
    await step("remove", () => store.remove(key));
  }
}

async function isListed(store: ObjectStore, key: ObjectKey): Promise<boolean> {
  for await (const object of store.list(key)) if (object.key === key) return true;
  return false;
}

async function step<T>(name: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw new Error(`the object storage cannot ${name}: ${(cause as Error).message}`, { cause });
  }
}
