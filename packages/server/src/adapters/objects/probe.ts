import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { ObjectKey, ObjectStore } from "../../domain/builds/object-store.ts";

const FETCH_TIMEOUT_MS = 10_000;

/** Writes, reads, lists and removes a small object. The error names the step that failed. */
export async function probe(store: ObjectStore): Promise<void> {
  await withObject(store, async (key, content) => {
    const read = await step("read", async () => buffer(await store.read(key)));
    if (!read.equals(content)) throw new Error("the object storage returned different bytes than were written");
    if (!(await step("list", () => isListed(store, key))))
      throw new Error("the object storage does not list an object that was just written");
  });
}

interface LinkResponse {
  status: number;
  /** Whether the body is the object that the link is for. */
  isIntact: boolean;
  /** Invalid if the response has no date. */
  serverTime: Date;
}

export interface ProbedLink {
  origin: string;
  /** The reason if no server responds. */
  response: LinkResponse | string;
  /** The response to the same link with another signature. */
  forged: LinkResponse | string;
}

/** Fetches a small object as a customer in the region does, and with a forged link. */
export async function probeLink(store: ObjectStore, now: Date, region?: string): Promise<ProbedLink> {
  return withObject(store, async (key, content) => {
    const link = store.link(key, { ttlSeconds: 60, filename: "probe", contentType: "text/plain", region, now });
    const response = await fetchLink(link, content);
    return { origin: new URL(link).origin, response, forged: await fetchLink(forge(link), content) };
  });
}

async function fetchLink(link: string, content: Buffer): Promise<LinkResponse | string> {
  try {
    const response = await fetch(link, { redirect: "manual", signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    const body = Buffer.from(await response.arrayBuffer());
    const serverTime = new Date(response.headers.get("date") ?? "");
    return { status: response.status, isIntact: body.equals(content), serverTime };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    return cause?.code ?? message;
  }
}

/** Changes one character of the signature. */
function forge(link: string): string {
  return link.replace(
    /((?:[?&]|-)(?:sig|md5|signature)=.{4})(.)/i,
    (_, start, character) => `${start}${character === "0" ? "1" : "0"}`,
  );
}

/** Stores an object while `use` runs. */
async function withObject<T>(store: ObjectStore, use: (key: ObjectKey, content: Buffer) => Promise<T>): Promise<T> {
  const key = `probe/${randomUUID()}`;
  const content = Buffer.from(key);
  await step("write", () => store.put(key, Readable.from([content])));
  try {
    return await use(key, content);
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
