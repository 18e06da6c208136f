import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import type { Download } from "../../api/wire.gen.ts";
import { FORMATS } from "../formats.ts";
import { explainRefusal } from "./refusal.ts";
import { type Access, answer, DatabaseId, READ_ONLY } from "./tool.ts";

const OUTCOMES = ["ok", "unauthorized", "denied", "expired", "unknown", "unavailable", "refused"] as const;
const ATTEMPTS_MAX = 200;

const Attempt = z.looseObject({
  created: z.string(),
  dataset_id: z.string(),
  format: z.string(),
  outcome: z.string().describe("ok, or why it was refused."),
  http_status: z.number().nullable(),
  bytes: z.number().nullable(),
  apikey_id: z.string().nullable(),
  client_ip: z.string().nullable(),
  user_agent: z.string().nullable(),
});

export function addHistoryTools(server: McpServer, { client }: Access): void {
  server.registerTool(
    "download_history",
    {
      title: "Show the download history",
      description:
        "Shows the download attempts of the user's organization, newest first, including refused ones, with time, outcome, key, address and program.",
      inputSchema: {
        limit: z.number().int().min(1).max(ATTEMPTS_MAX).default(20),
        database: DatabaseId.optional(),
        outcome: z.enum(OUTCOMES).optional().describe("Only this outcome, or refused for all but ok."),
        since: z.iso.datetime({ offset: true }).optional().describe("Only attempts at or after this time (RFC 3339)."),
      },
      outputSchema: { attempts: z.array(Attempt) },
      annotations: READ_ONLY,
    },
    ({ limit, database, outcome, since }, { signal }) =>
      answer(async () => {
        const attempts: Download[] = [];
        const filters = { limit, database, outcome, ...(since && { since: new Date(since) }) };
        for await (const attempt of client.downloads({ ...filters, signal })) attempts.push(attempt);
        return { attempts };
      }),
  );

  server.registerTool(
    "explain_refusal",
    {
      title: "Explain why a download is refused",
      description:
        "Finds out whether a download of a database would be granted now, and if not, why and what to do: checks the key, its scopes, the id, the licence, the format, the build and the limits. Downloads nothing.",
      inputSchema: {
        id: z.string().min(1).max(64).describe("Database id, as it was requested."),
        format: z.enum(FORMATS).optional(),
      },
      outputSchema: {
        granted: z.boolean(),
        reason: z.string(),
        advice: z.string().nullable().describe("What to do about it."),
        key: z.looseObject({ name: z.string(), key_prefix: z.string(), scopes: z.array(z.string()) }).nullable(),
        recent_refusals: z.array(Attempt).describe("The last refused attempts for this database."),
      },
      annotations: READ_ONLY,
    },
    ({ id, format }, { signal }) => answer(async () => ({ ...(await explainRefusal(client, { id, format }, signal)) })),
  );
}
