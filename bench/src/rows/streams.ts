/** Files by way of this service beside nginx, which has the kernel send them. */
import { join } from "node:path";
import { type Nginx, startNginx } from "../anchors/nginx.ts";
import { exchange, headerOf } from "../exchange.ts";
import { comparison, type Line, memoryLine } from "../line.ts";
import { peakMemory, run } from "../processes.ts";
import { alternate } from "../rounds.ts";
import type { Row } from "../row.ts";
import { operate, type Place, startService } from "../service.ts";
import { amount } from "../table.ts";
import type { Workshop } from "../workshop.ts";
import { largeMmdb, placeFor, publication } from "./large-builds.ts";
import { ASK } from "./requests.ts";

const MEMORY_LIMIT_MB = 100;
/** With many connections not all of the file goes over each: as much as comes in this time. */
const MANY_SECONDS = 2;
const CURL_TIMED_OUT = 28;

interface StreamRow {
  name: string;
  what: string;
  connections: number;
  ratioAtLeast: number;
  ourUrl(shop: Shop, origin: string): Promise<string>;
  anchorUrl(nginx: Nginx): string;
}

const v1 = { ourUrl: v1Url, anchorUrl: ({ plainUrl }: Nginx) => plainUrl };
const gateway = { ourUrl: gatewayUrl, anchorUrl: ({ linkUrl }: Nginx) => linkUrl };

const STREAM_ROWS: StreamRow[] = [
  { name: "stream-v1", what: "v1 streams 1 GiB, 1 connection", connections: 1, ratioAtLeast: 0.5, ...v1 },
  { name: "stream-v1-64", what: "v1 streams, 64 connections", connections: 64, ratioAtLeast: 0.6, ...v1 },
  {
    name: "stream-gateway",
    what: "gateway streams 1 GiB, 1 connection",
    connections: 1,
    ratioAtLeast: 0.5,
    ...gateway,
  },
  {
    name: "stream-gateway-64",
    what: "gateway streams, 64 connections",
    connections: 64,
    ratioAtLeast: 0.6,
    ...gateway,
  },
];

export const streamRows: Row[] = STREAM_ROWS.map((row) => ({
  name: row.name,
  what: `${row.what}, beside nginx`,
  needs: ["nginx", "curl"],
  measure: (workshop) => measure(workshop, row),
}));

async function measure(workshop: Workshop, row: StreamRow): Promise<Line[]> {
  const shop = await workshop.shared("shop with a large file", () => openShop(workshop));
  const nginx = await workshop.shared("nginx", () =>
    startNginx(workshop.tools.nginx ?? "", workshop.newFolder("nginx"), shop.object),
  );
  // A new process for each row: its peak of memory is this row's own.
  const { profile } = workshop.options;
  const firstRequest = ASK.metadata(shop.customer);
  await using service = await startService({ ...shop.place, firstRequest, profile });
  const [ourUrl, anchorUrl] = [await row.ourUrl(shop, service.origin), row.anchorUrl(nginx)];
  const fetchAll = (url: string) => megabytesPerSecond(url, row.connections, shop.sizeBytes);
  await fetchAll(anchorUrl);
  await fetchAll(ourUrl);
  const rounds = await alternate(
    workshop.rounds,
    { anchor: () => fetchAll(anchorUrl), ours: () => fetchAll(ourUrl) },
    (round, anchor, ours) =>
      workshop.say(
        `${row.name} ${round + 1}/${workshop.rounds}: ${amount(ours, "MB/s")} beside ${amount(anchor, "MB/s")}`,
      ),
  );
  const { name, what, ratioAtLeast } = row;
  return [
    comparison({ name, what, unit: "MB/s" }, rounds, { ratioAtLeast }),
    ...memoryLine({ name: `${name}-memory`, what: `${what}: peak memory` }, [peakMemory(service.pid)], MEMORY_LIMIT_MB),
  ];
}

/** A vendor with one large file, published as any other. */
interface Shop {
  place: Place;
  customer: { key: string; databaseId: string };
  legacyKey: string;
  /** Where the file lies. */
  object: string;
  sizeBytes: number;
}

async function openShop(workshop: Workshop): Promise<Shop> {
  const build = await largeMmdb(workshop);
  const place = await placeFor(workshop, build);
  const { build_id } = await operate<{ build_id: string }>(place, ...publication(build));
  await operate(place, "orgs", "add", "Customer");
  await operate(place, "licences", "grant", "Customer", build.id.replace(/_v1$/, ""), "--redistribution", "internal");
  const scopes = ["--org", "Customer", "--name", "bench", "--scopes", "db.download"];
  const { key } = await operate<{ key: string }>(place, "keys", "create", ...scopes);
  const legacy = await operate<{ key: string }>(place, "legacy-keys", "create", "--name", "bench", "--ids", build.id);
  return {
    place,
    customer: { key, databaseId: build.id },
    legacyKey: legacy.key,
    object: join(place.dataDir, "objects", build.id, build_id, `${build.id}.mmdb`),
    sizeBytes: build.sizeBytes,
  };
}

async function v1Url({ customer, legacyKey }: Shop, origin: string): Promise<string> {
  return `${origin}/api/v1/database/download?id=${customer.databaseId}&format=mmdb&apikey=${legacyKey}`;
}

async function gatewayUrl({ customer }: Shop, origin: string): Promise<string> {
  const url = headerOf(await exchange(origin, ASK.download(customer)), "location");
  if (!url) throw new Error("the download gave no link");
  return url;
}

async function megabytesPerSecond(url: string, connections: number, sizeBytes: number): Promise<number> {
  const report = ["--write-out", "%{http_code} %{size_download} %{time_total}\\n"];
  const many = connections === 1 ? [] : ["--parallel", "--parallel-immediate", "--parallel-max", `${connections}`];
  const bound = connections === 1 ? [] : ["--max-time", `${MANY_SECONDS}`];
  const transfers = Array.from({ length: connections }, () => ["--output", "/dev/null", url]).flat();
  const { stdout } = await run("curl", ["--silent", ...many, ...bound, ...report, ...transfers], {
    accepts: connections === 1 ? [0] : [0, CURL_TIMED_OUT],
  });
  const reports = stdout
    .trim()
    .split("\n")
    .map((line) => line.split(" ").map(Number));
  const bytes = reports.reduce((sum, [, size = 0]) => sum + size, 0);
  const isSound = reports.every(([status]) => status === 200) && (connections > 1 || bytes === sizeBytes);
  if (!isSound || reports.length !== connections) throw new Error(`curl did not get the file: ${stdout}`);
  return bytes / 1e6 / Math.max(...reports.map(([, , seconds = 0]) => seconds));
}
