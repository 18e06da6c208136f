import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { toJson } from "@dbdepot/formats/mmdb/json";
import { layoutOf, TAIL_BYTES } from "@dbdepot/formats/mmdb/layout";
import { lookUp, type ReadRange } from "@dbdepot/formats/mmdb/lookup";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { addressBytes, networkText } from "./address.ts";
import { type Access, answer, DatabaseId, READ_ONLY } from "./tool.ts";

const EXTENSION = ".mmdb";
const FILES_MAX = 100;

export function addLookupTool(server: McpServer, { directory }: Access): void {
  server.registerTool(
    "lookup_address",
    {
      title: "Look up an IP address",
      description:
        "Looks an IP address up in the MMDB databases that `dbdepot sync` or `dbdepot download` has put on this machine. Uses no network. `record` is null if a database says nothing about the address.",
      inputSchema: {
        address: z.string().max(64).describe("IPv4 or IPv6 address."),
        database: DatabaseId.optional().describe("Database id (default: every MMDB file in the directory)."),
      },
      outputSchema: {
        directory: z.string(),
        results: z.array(
          z.object({
            database: z.string(),
            network: z.string().nullable().describe("The network that the record is about."),
            record: z.unknown().describe("The fields of the database, or null."),
            downloaded: z.string().describe("When the file was written."),
            error: z.string().optional(),
          }),
        ),
      },
      annotations: READ_ONLY,
    },
    ({ address, database }) =>
      answer(async () => {
        const bytes = addressBytes(address.trim());
        if (!bytes) throw new Error(`"${address}" is not an IP address: use one like 192.0.2.1 or 2001:db8::1`);
        const databases = await downloaded(directory, database);
        const results = [];
        for (const id of databases) results.push(await find(directory, id, bytes));
        return { directory, results };
      }),
  );
}

async function downloaded(directory: string, wanted: string | undefined): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const databases = names.filter((name) => name.endsWith(EXTENSION)).map((name) => name.slice(0, -EXTENSION.length));
  const found = wanted === undefined ? databases : databases.filter((id) => id === wanted);
  if (found.length === 0) {
    const id = wanted ?? "<id>";
    throw new Error(
      `${directory} has no ${wanted ?? "*"}${EXTENSION}: run "dbdepot sync ${id} --formats mmdb --directory ${directory}", or start "dbdepot mcp" with --directory`,
    );
  }
  return found.sort().slice(0, FILES_MAX);
}

/** Reads only the parts of the file that it needs. A damaged file does not hide what others contain. */
async function find(directory: string, database: string, address: Buffer) {
  await using file = await open(join(directory, database + EXTENSION));
  const { size, mtime } = await file.stat();
  const none = { database, network: null, record: null, downloaded: mtime.toISOString() };
  try {
    const read = readerOf(file);
    const layout = layoutOf(await read(Math.max(0, size - TAIL_BYTES), size - 1), size);
    if (layout.ipVersion === 4 && address.length === 16) return { ...none, error: "contains only IPv4 addresses" };
    const { prefixLength, record } = await lookUp(layout, address, read);
    if (record === undefined) return none;
    return { ...none, network: networkOf(address, prefixLength, layout.ipVersion), record: toJson(record) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ...none, error: `not a valid MMDB file (${error.message}): run "dbdepot verify ${database}"` };
  }
}

/** In a file for both kinds, IPv4 addresses are the last 32 bits below ::/96. */
function networkOf(address: Buffer, prefixLength: number, ipVersion: 4 | 6): string {
  if (ipVersion === 4 || address.length === 16) return networkText(address, prefixLength);
  return prefixLength < 96 ? `::/${prefixLength}` : networkText(address, prefixLength - 96);
}

function readerOf(file: FileHandle): ReadRange {
  return async (first, last) => {
    const length = last - first + 1;
    if (length <= 0) throw new RangeError("the file is empty");
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, first);
    if (bytesRead !== length) throw new RangeError("the file is truncated");
    return buffer;
  };
}
