import { mkdir, open, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runCommand, type ServerData } from "../../../harness/server.ts";
import type { Bench } from "../bench.ts";
import type { Customer } from "./customers.ts";

/** Separates the data from the metadata of an mmdb file. */
const MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");

/** A vendor with one published mmdb. */
export interface LargeBuild {
  data: ServerData;
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
  const data = { dataDir: bench.newPath("large-build") };
  const id = "large_ip_v1";
  const { file, document } = await createMmdb(data, bench.newPath("export"), id, sizeBytes);
  await runCommand(data, "families", "add", "large_ip", "--name", "Large");
  await runCommand(data, "versions", "add", id, "--summary", "Large", "--formats", "mmdb");
  const published = await runCommand<{ build_id: string }>(
    data,
    "builds",
    "publish",
    id,
    "--mmdb",
    file,
    "--metadata",
    document,
  );
  await runCommand(data, "orgs", "add", "Customer");
  await runCommand(data, "licences", "grant", "Customer", "large_ip", "--redistribution", "internal");
  const options = ["--org", "Customer", "--name", "bench", "--scopes", "db.download"];
  const { key } = await runCommand<{ key: string }>(data, "keys", "create", ...options);
  const legacy = await runCommand<{ key: string }>(data, "legacy-keys", "create", "--name", "bench", "--ids", id);
  return {
    data,
    customer: { key, databaseId: id },
    legacyKey: legacy.key,
    objects: join(data.dataDir, "objects"),
    objectKey: `${id}/${published.build_id}/${id}.mmdb`,
    sizeBytes,
  };
}

/** Exports a small mmdb and fills its data section with zeros. */
async function createMmdb(data: ServerData, directory: string, id: string, sizeBytes: number) {
  await mkdir(directory, { recursive: true });
  const csv = join(directory, "small.csv");
  await writeFile(csv, "network,provider\n192.0.2.0/24,One\n198.51.100.0/24,Another\n");
  await runCommand(data, "export", csv, "--id", id, "--out", directory);
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
