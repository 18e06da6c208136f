import { mkdir, open, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Bench } from "../bench.ts";
import { type DataPlace, operate } from "../server.ts";
import type { Customer } from "./customers.ts";

/** Between the data and the metadata of an mmdb. */
const MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");

/** A vendor with one published mmdb. */
export interface LargeBuild {
  place: DataPlace;
  customer: Customer;
  legacyKey: string;
  /** The directory of the disk store. */
  objects: string;
  /** The file's path in the store. */
  objectKey: string;
  sizeBytes: number;
}

/** Publishes a file of 1 GiB, which is sparse on disk, as an operator would. */
export async function publishLargeBuild(bench: Bench): Promise<LargeBuild> {
  const sizeBytes = bench.isQuick ? 2 ** 24 : 2 ** 30;
  const place = { dataDir: bench.newPath("large-build") };
  const id = "large_ip_v1";
  const { file, document } = await createMmdb(place, bench.newPath("export"), id, sizeBytes);
  await operate(place, "families", "add", "large_ip", "--name", "Large");
  await operate(place, "versions", "add", id, "--summary", "Large", "--formats", "mmdb");
  const published = await operate<{ build_id: string }>(
    place,
    "builds",
    "publish",
    id,
    "--mmdb",
    file,
    "--metadata",
    document,
  );
  await operate(place, "orgs", "add", "Customer");
  await operate(place, "licences", "grant", "Customer", "large_ip", "--redistribution", "internal");
  const options = ["--org", "Customer", "--name", "bench", "--scopes", "db.download"];
  const { key } = await operate<{ key: string }>(place, "keys", "create", ...options);
  const legacy = await operate<{ key: string }>(place, "legacy-keys", "create", "--name", "bench", "--ids", id);
  return {
    place,
    customer: { key, databaseId: id },
    legacyKey: legacy.key,
    objects: join(place.dataDir, "objects"),
    objectKey: `${id}/${published.build_id}/${id}.mmdb`,
    sizeBytes,
  };
}

/** Exports a small mmdb and fills its data section with zeros. */
async function createMmdb(place: DataPlace, directory: string, id: string, sizeBytes: number) {
  await mkdir(directory, { recursive: true });
  const csv = join(directory, "small.csv");
  await writeFile(csv, "network,provider\n192.0.2.0/24,One\n198.51.100.0/24,Another\n");
  await operate(place, "export", csv, "--id", id, "--out", directory);
  const file = join(directory, `${id}.mmdb`);
  const small = await readFile(file);
  const metadata = small.subarray(small.lastIndexOf(MARKER));
  await truncate(file, small.length - metadata.length);
  await truncate(file, sizeBytes - metadata.length);
  await using handle = await open(file, "a");
  await handle.write(metadata);
  const columns = ["network", "provider"].map((name) => ({ name, type: "string" }));
  const document = join(dirname(file), "metadata.json");
  const { size } = await stat(file);
  await writeFile(
    document,
    JSON.stringify({ id, updated: "2026-01-01", entries: 2, schema: { mmdb: columns }, size: { mmdb: size } }),
  );
  return { file, document };
}
