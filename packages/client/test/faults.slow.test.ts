import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ClientOptions, DbdepotClient, type Progress } from "../src/index.ts";
import { filesOf, ID, sha256Of, TestDepot } from "./depot.ts";
import { type Fault, FaultyFront } from "./faults.ts";

const SIZE_BYTES = 700_000;
const OLD = Buffer.from("the old file");
const EVERY_HEADER = ["etag", "content-length", "repr-digest", "x-build-id", "accept-ranges", "last-modified"];
/** A service with this interface but without our extensions. */
const PLAIN: Fault = { strip: [...EVERY_HEADER, "link", "x-request-id", "content-range"], stripQuery: ["build"] };

let depot: TestDepot;
let front: FaultyFront;
let current: Buffer;
let builds = 0;

beforeAll(async () => {
  depot = await TestDepot.open();
  front = await FaultyFront.open(depot.customer.apiUrl);
});
afterAll(async () => {
  await front.close();
  await depot.dispose();
});
beforeEach(async () => {
  front.reset();
  await publishNext();
});

async function publishNext(): Promise<Buffer> {
  builds += 1;
  const files = filesOf(`build ${builds}`, SIZE_BYTES);
  await depot.publish(files);
  current = files.mmdb;
  return current;
}

function client(options: Partial<ClientOptions> = {}): DbdepotClient {
  return new DbdepotClient({ baseUrl: front.url, apiKey: depot.customer.key, retryDelayMs: 1, env: {}, ...options });
}

/** Downloads, checks the target at every request to the storage, and returns what is there at the end. */
async function fetchThrough(options: Partial<ClientOptions> = {}): Promise<Buffer> {
  const path = depot.path(`faults-${builds}.mmdb`);
  await writeFile(path, OLD);
  const plan = front.storage;
  const looks: boolean[] = [];
  front.storage = (seen) => {
    looks.push(readFileSync(path).equals(OLD));
    return plan(seen);
  };
  const result = await client(options).download(ID, "mmdb", { to: path });
  expect(looks).not.toContain(false);
  const bytes = readFileSync(path);
  expect(result).toMatchObject({ sizeBytes: bytes.length, sha256: sha256Of(bytes) });
  expect(await depot.parts(path)).toEqual([]);
  return bytes;
}

/** A fault for the first `count` requests. */
function first(count: number, fault: Fault) {
  return ({ number }: { number: number }) => (number < count ? fault : undefined);
}

const SCENES: Record<string, () => void> = {
  "a cut every 64 KiB": () => {
    front.storage = () => ({ cutAfterBytes: 65_536 });
  },
  "five immediate cuts": () => {
    front.storage = first(5, { cutAfterBytes: 0 });
  },
  "wrong bytes": () => {
    front.storage = ({ headers, number }) =>
      number < 6 && !headers.range ? { wrongByteAt: 1000 * number } : undefined;
  },
  "truncated bodies with a matching Content-Length": () => {
    front.storage = () => ({ endAfterBytes: 100_000 });
  },
  "three empty bodies": () => {
    front.storage = first(3, { endAfterBytes: 0 });
  },
  "truncated bodies without a length": () => {
    front.storage = () => ({ endAfterBytes: 100_000, unframed: true });
  },
  "a slow drip": () => {
    front.storage = () => ({ dripBytes: 4096 });
  },
  "stalled connections": () => {
    front.storage = first(3, { stallAfterBytes: 150_000 });
  },
  "a storage that ignores Range": () => {
    front.storage = ({ number }) => ({ ignoreRange: true, ...(number < 3 && { cutAfterBytes: 300_000 }) });
  },
  "429, 500, 503 from the service": () => {
    front.api = ({ number }) => ({ status: [429, 500, 503, 502][number] ?? 0, headers: { "retry-after": "0" } });
    const plan = front.api;
    front.api = (seen) => (seen.number < 4 ? plan(seen) : undefined);
  },
  "429, 500, 503 from the storage": () => {
    front.storage = ({ number }) => (number < 4 ? { status: [429, 500, 503, 504][number] ?? 0 } : undefined);
  },
  "connections closed without a response": () => {
    front.api = first(2, { refuse: true });
    front.storage = first(3, { refuse: true });
  },
  "expiring links": () => {
    front.storage = ({ number }) => (number % 2 === 0 ? { cutAfterBytes: 200_000 } : { status: 403 });
  },
  "no length and no chunks": () => {
    front.storage = () => ({ unframed: true });
  },
};

describe("the target is the complete old file until it is the complete new one", () => {
  for (const [name, arrange] of Object.entries(SCENES)) {
    it(`with ${name}`, async () => {
      arrange();
      expect((await fetchThrough({ timeoutMs: 1000 })).equals(current)).toBe(true);
    });
    it(`with ${name}, at a service without extensions`, async () => {
      arrange();
      const { api, storage } = front;
      front.api = async (seen) => ({ ...PLAIN, ...(await api(seen)) });
      front.storage = async (seen) => ({ strip: PLAIN.strip ?? [], ...(await storage(seen)) });
      expect((await fetchThrough({ timeoutMs: 1000 })).equals(current)).toBe(true);
    });
  }

  for (const header of EVERY_HEADER) {
    it(`without ${header}, and with cuts`, async () => {
      front.api = () => ({ strip: [header] });
      front.storage = () => ({ strip: [header], cutAfterBytes: 250_000 });
      expect((await fetchThrough()).equals(current)).toBe(true);
    });
  }
});

describe("a build replaced during the transfer", () => {
  it("is completed with a new link to the same build", async () => {
    const begun = current;
    front.storage = async ({ number }) => {
      if (number === 0) return { cutAfterBytes: 200_000 };
      if (number === 1) await publishNext();
      return number === 1 ? { status: 403 } : undefined;
    };
    expect((await fetchThrough()).equals(begun)).toBe(true);
    expect(front.seenByStorage.at(-1)?.headers.range).toBe("bytes=200000-");
  });

  it("is replaced by the new build if the service does not name builds", async () => {
    front.api = () => PLAIN;
    front.storage = async ({ number }) => {
      if (number === 1) await publishNext();
      return {
        strip: EVERY_HEADER,
        ...(number === 0 && { cutAfterBytes: 200_000 }),
        ...(number === 1 && { status: 403 }),
      };
    };
    expect((await fetchThrough()).equals(current)).toBe(true);
  });

  it("is noticed between the link and the checksum", async () => {
    front.api = async ({ url, number }) => {
      if (number === 1 && url.pathname.endsWith("/checksum")) await publishNext();
      return PLAIN;
    };
    expect((await fetchThrough()).equals(current)).toBe(true);
  });

  it("is replaced by the new build if the old one is gone", async () => {
    front.storage = async ({ number }) => {
      if (number === 0) return { cutAfterBytes: 200_000 };
      if (number === 1) await publishNext();
      return number === 1 ? { status: 404 } : undefined;
    };
    front.api = ({ url }) => (url.searchParams.has("build") ? { status: 404 } : undefined);
    expect((await fetchThrough()).equals(current)).toBe(true);
  });
});

describe("a permanent fault ends with an error and the old file", () => {
  async function failsWith(expected: object, options: Partial<ClientOptions> = {}): Promise<void> {
    const path = depot.path(`failing-${builds}.mmdb`);
    await writeFile(path, OLD);
    await expect(client(options).download(ID, "mmdb", { to: path })).rejects.toMatchObject(expected);
    expect(readFileSync(path).equals(OLD)).toBe(true);
  }

  it("wrong bytes", async () => {
    front.storage = ({ headers }) => (headers.range ? undefined : { wrongByteAt: 5 });
    await failsWith({ kind: "corrupt" });
    expect(await depot.parts(depot.path(`failing-${builds}.mmdb`))).toEqual([]);
  });

  it("links that never work", async () => {
    front.storage = () => ({ status: 403 });
    await failsWith({ kind: "storage", status: 403, retryable: true });
    expect(front.seenByStorage).toHaveLength(6);
  });

  it("a service that is always unavailable", async () => {
    front.api = () => ({ status: 503, headers: { "retry-after": "0" } });
    await failsWith({ kind: "server", status: 503, rc: "FAULT", retryable: true });
    expect(front.seenByApi).toHaveLength(6);
  });

  it("bodies that are always empty", async () => {
    front.storage = () => ({ endAfterBytes: 0 });
    await failsWith({ kind: "corrupt", retryable: true });
    expect(front.seenByStorage).toHaveLength(6);
  });

  it("connections that are cut before they make progress", async () => {
    front.storage = () => ({ cutAfterBytes: 100 });
    await failsWith({ kind: "network" });
  });

  it("a storage that never stops sending: no more than the metadata announces is written", async () => {
    front.storage = () => ({ repeat: 10 });
    const path = depot.path(`failing-${builds}.mmdb`);
    const received: number[] = [];
    const onProgress = (progress: Progress) => received.push(progress.receivedBytes);
    const promise = client({ retries: 1 }).download(ID, "mmdb", { to: path, onProgress });
    await expect(promise).rejects.toMatchObject({ kind: "corrupt" });
    expect(Math.max(...received)).toBeLessThanOrEqual(current.length);
    expect(await depot.parts(path)).toEqual([]);
  });

  it("a published mmdb that is damaged", async () => {
    await depot.publish({ ...filesOf("x"), mmdb: Buffer.from("no mmdb at all") });
    await failsWith({ kind: "corrupt", message: expect.stringContaining("no MaxMind DB metadata") });
  });
});

describe("any mixture of faults", () => {
  it("ends with the right file", async () => {
    for (let round = 0; round < 8; round += 1) {
      front.reset();
      await publishNext();
      const isPlain = Math.random() < 0.5;
      front.api = () => ({ ...(isPlain && PLAIN), ...(Math.random() < 0.2 && { status: 500 }) });
      front.storage = ({ headers }) => ({ ...(isPlain && { strip: EVERY_HEADER }), ...randomFault(headers.range) });
      expect((await fetchThrough({ timeoutMs: 300, retries: 20 })).equals(current)).toBe(true);
    }
  }, 120_000);
});

function randomFault(range: string | undefined): Fault {
  const somewhere = Math.floor(Math.random() * SIZE_BYTES);
  const faults: Fault[] = [
    {},
    {},
    { cutAfterBytes: somewhere },
    { endAfterBytes: somewhere },
    { unframed: true, endAfterBytes: somewhere },
    { status: 503 },
    { status: 403 },
    { refuse: true },
    { ignoreRange: Math.random() < 0.3, cutAfterBytes: somewhere },
    range ? {} : { wrongByteAt: somewhere },
    Math.random() < 0.3 ? { stallAfterBytes: somewhere } : {},
  ];
  return faults[Math.floor(Math.random() * faults.length)] as Fault;
}

describe("a disk without enough space", () => {
  const HUGE = JSON.stringify({ id: ID, updated: "2027-01-01", size: { mmdb: Number.MAX_SAFE_INTEGER } });
  const announceHugeFile = ({ url }: { url: URL }): Fault | undefined =>
    url.pathname.endsWith("/metadata") ? { status: 200, body: HUGE } : undefined;

  it("is reported before the transfer, and the old file and the part of an earlier run stay", async () => {
    const path = depot.path(`space-${builds}.mmdb`);
    await writeFile(path, OLD);
    front.storage = () => ({ cutAfterBytes: 300_000 });
    await expect(client({ retries: 0 }).download(ID, "mmdb", { to: path })).rejects.toMatchObject({ kind: "network" });
    front.api = announceHugeFile;
    front.storage = ({ headers }) => {
      const [, fromByte] = /^bytes=(\d+)-$/.exec(headers.range ?? "") ?? [];
      return { status: 206, headers: { "content-range": `bytes ${fromByte}-9007199254740989/9007199254740990` } };
    };
    await expect(client().download(ID, "mmdb", { to: path })).rejects.toMatchObject({
      kind: "disk",
      code: "ENOSPC",
      message: expect.stringMatching(
        /not enough space on the disk: \S+ MiB needed, \S+ MiB free\. Nothing was changed$/,
      ),
    });
    expect(readFileSync(path)).toEqual(OLD);
    expect(await depot.parts(path)).toHaveLength(1);
    front.reset();
    expect((await client().download(ID, "mmdb", { to: path })).resumedFromBytes).toBeGreaterThan(0);
    expect(readFileSync(path)).toEqual(current);
  });

  it("is found before a compressed copy is downloaded that would not fit", async () => {
    const offer = {
      "x-patch-from": sha256Of(Buffer.alloc(0)),
      "x-patch-sha256": sha256Of(OLD),
      "x-patch-size": "9000",
    };
    front.api = ({ url }) => {
      const digest = createHash("sha256").update(current).digest("base64");
      const headers = { ...offer, location: "http://storage.invalid/bomb", "repr-digest": `sha-256=:${digest}:` };
      return url.searchParams.has("from") ? { status: 302, headers } : announceHugeFile({ url });
    };
    const path = depot.path(`space-${builds}.mmdb`);
    const failures: unknown[] = [];
    const onPatchFailure = (error: unknown) => failures.push(error);
    expect(await client().download(ID, "mmdb", { to: path, onPatchFailure })).toMatchObject({ method: "file" });
    expect(failures).toMatchObject([{ kind: "disk", code: "ENOSPC" }]);
    expect(readFileSync(path)).toEqual(current);
  });
});
