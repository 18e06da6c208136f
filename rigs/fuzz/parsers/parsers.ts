import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { CsvError } from "@dbdepot/formats/csv/error";
import { CsvParser } from "@dbdepot/formats/csv/parser";
import { decodeMmdbValue } from "@dbdepot/formats/mmdb/metadata";
import { MmdbStructureCheck } from "@dbdepot/formats/mmdb/structure-check";
import { parseRange } from "@dbdepot/formats/transfers/byte-range";
import { messageParser } from "../../../packages/client/src/api/events.ts";
import { readConfigFile } from "../../../packages/client/src/command/config/config-file.ts";
import { EXAMPLE } from "../../../packages/client/src/command/config/example.ts";
import { GzipCheck } from "../../../packages/client/src/download/gzip-check.ts";
import { DbdepotError } from "../../../packages/client/src/errors.ts";
import { parseManifest } from "../../../packages/client/src/proof/documents.ts";
import { buildForeignMmdb } from "../../../packages/patches/test/foreign-mmdb.ts";
import { requireCidr } from "../../../packages/server/src/domain/access/cidrs.ts";
import { PlainKey } from "../../../packages/server/src/domain/access/secret.ts";
import { readDocument } from "../../../packages/server/src/domain/builds/document.ts";
import { CsvgzCheck } from "../../../packages/server/src/domain/builds/inspection/csvgz-check.ts";
import { normalizeUuid } from "../../../packages/server/src/domain/legacy-keys/legacy-key.ts";
import { parseLegacyKeyFile } from "../../../packages/server/src/domain/legacy-keys/legacy-key-file.ts";
import { byId, decodePosition } from "../../../packages/server/src/http/page.ts";
import { Fault } from "../../../packages/server/src/platform/primitives/faults.ts";
import { parseTraceparent } from "../../../packages/server/src/platform/primitives/trace-context.ts";
import { exported } from "../../../packages/server/test/routes/operator/exported.ts";
import type { Parser } from "./parser.ts";
import { patchParser } from "./patches.ts";

const CHUNK_BYTES = 1000;
const CSV = 'network,note\n192.0.2.0/24,"a ""b"", c"\r\n2001:db8::/32,\u00e4\n';

/** Every parser of bytes that come from outside. */
export async function parsers(): Promise<Parser[]> {
  const { files, document } = await exported("vpn_ip_v1", { rows: 50 });
  const { csvgz = Buffer.alloc(0), mmdb = Buffer.alloc(0) } = files;
  const { files: next } = await exported("vpn_ip_v1", { rows: 60 });
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  // A bomb takes long, so it is rare.
  const compressed = [...Array<Buffer>(9).fill(csvgz), bomb];
  const config = join(mkdtempSync(join(tmpdir(), "dbdepot-fuzz-")), "dbdepot.toml");
  return [
    { name: "mmdb structure", examples: [mmdb], parse: (input) => inChunks(input, new MmdbStructureCheck()) },
    {
      name: "mmdb values",
      examples: [mmdb.subarray(mmdb.lastIndexOf("MaxMind.com") + "MaxMind.com".length)],
      parse: decodeMmdbValue,
      isRefusal: (error) => error instanceof RangeError,
    },
    { name: "csv.gz, server", examples: compressed, parse: (input) => inChunks(input, new CsvgzCheck()) },
    { name: "gzip, client", examples: compressed, parse: (input) => inChunks(input, new GzipCheck()) },
    await patchParser("csvgz patch", "csvgz", csvgz, next.csvgz ?? csvgz),
    await patchParser("csvgz patch, level 9", "csvgz", csvgz, gzipSync(gunzipSync(next.csvgz ?? csvgz), { level: 9 })),
    await patchParser("mmdb patch", "mmdb", mmdb, next.mmdb ?? mmdb),
    await patchParser("mmdb patch, MaxMind::DB::Writer", "mmdb", foreignMmdb(40, 1), foreignMmdb(50, 2)),
    // Without metadata, they are patched as bytes.
    await patchParser("binary patch", "mmdb", mmdb.subarray(0, 2000), (next.mmdb ?? mmdb).subarray(0, 2000)),
    { name: "CSV", examples: [Buffer.from(CSV)], parse: parseCsv, isRefusal: (error) => error instanceof CsvError },
    { name: "v1 keys as CSV", examples: [Buffer.from(CSV)], parse: (input) => parseLegacyKeyFile(String(input)) },
    { name: "metadata JSON", examples: [document], parse: readDocument },
    {
      name: "manifest JSON",
      examples: [Buffer.from('{"format":1,"id":"vpn_ip_v1","sequence":1,"build_id":null,"files":{},"previous":null}')],
      parse: (input) => parseManifest(String(input)),
    },
    {
      name: "TOML",
      examples: [Buffer.from(EXAMPLE)],
      parse: (input) => {
        writeFileSync(config, input, { mode: 0o600 });
        return readConfigFile(config, {});
      },
    },
    {
      name: "event stream",
      examples: [Buffer.from('id: 1\r\nevent: build.published\ndata: {"id":\ndata: "x"}\n\nretry: 5\n: ping\n\n')],
      parse: (input) => messageParser({})(String(input)),
      isRefusal: (error) => error instanceof DbdepotError,
    },
    { name: "Range", examples: texts("bytes=0-99", "bytes=-5"), parse: (input) => parseRange(String(input), 1000) },
    {
      name: "CIDR",
      examples: texts("192.0.2.0/24", "::ffff:10.0.0.0/104"),
      parse: (input) => requireCidr(String(input)),
      isRefusal: (error) => error instanceof Fault,
    },
    {
      name: "cursor",
      examples: texts("0193a000-0000-7000-8000-000000000000"),
      parse: (input) => byId.isCursor(String(input)),
    },
    {
      name: "position in a list",
      examples: texts('["acme","0193a000-0000-7000-8000-000000000000"]'),
      parse: (input) => decodePosition(input.toString("base64url")),
      isRefusal: (error) => error instanceof Fault,
    },
    { name: "key", examples: texts(PlainKey.generate().reveal()), parse: (input) => PlainKey.parse(String(input)) },
    {
      name: "v1 key",
      examples: texts("0193a000-0000-4000-8000-000000000000"),
      parse: (input) => normalizeUuid(String(input)),
    },
    {
      name: "traceparent",
      examples: texts("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
      parse: (input) => parseTraceparent(String(input)),
    },
  ];
}

/** Values that point into each other, and a number that changes from day to day. */
function foreignMmdb(networks: number, day: number): Buffer {
  const rows = Array.from({ length: networks }, (_, i) => {
    const city = `City ${i % 7}`;
    return [`10.${i}.0.0/16`, { city, names: { de: city, en: city }, seen: i * 1000 + day }] as const;
  });
  const style = {
    recordSizeBits: 28,
    ipVersion: 6,
    nodeOrder: "depth",
    valueOrder: "first",
    hasAliases: true,
  } as const;
  return buildForeignMmdb(rows, style);
}

function texts(...values: string[]): Buffer[] {
  return values.map((value) => Buffer.from(value));
}

async function inChunks(input: Buffer, check: { update(bytes: Buffer): unknown; end(): unknown }): Promise<unknown> {
  for (let at = 0; at < input.length; at += CHUNK_BYTES) await check.update(input.subarray(at, at + CHUNK_BYTES));
  return check.end();
}

function parseCsv(input: Buffer): void {
  const parser = new CsvParser({});
  for (const row of parser.push(input)) row.cells();
  for (const row of parser.end()) row.cells();
}
