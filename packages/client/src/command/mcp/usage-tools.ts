import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { explainRejection } from "../rejection.ts";
import { INVALID_PERIOD } from "../usage.ts";
import { type Access, answer, READ_ONLY } from "./tool.ts";

const Limit = z.looseObject({
  limit: z.string().describe("requests_per_minute, downloads_per_day, bytes_per_month or parallel_streams."),
  allowed: z.number(),
  used: z.number().nullable().describe("Null if it is not known."),
  resets: z.string().nullable().describe("When the count starts again at 0; null if it counts no day or month."),
});

const counts = {
  first_downloads: z.number().describe("Builds that were never downloaded before in that format."),
  repeats: z.number().describe("All other granted downloads."),
  refused: z.number(),
  bytes: z.number(),
  saved_bytes: z.number().describe("Bytes saved by patches."),
  keys: z.number().describe("Different keys on a day; for longer periods, the largest number on one day."),
  addresses: z.number().describe("Different client addresses, counted in the same way."),
};

export function addUsageTools(server: McpServer, { client }: Access): void {
  server.registerTool(
    "download_limits",
    {
      title: "Show the limits",
      description:
        "Shows the limits that the vendor has set for the user's organization: how much is allowed, how much is used, and when the count starts again. Most organizations have none.",
      inputSchema: {},
      outputSchema: { limits: z.array(Limit).describe("Empty if nothing is limited.") },
      annotations: READ_ONLY,
    },
    (_, { signal }) => answer(async () => ({ limits: await client.limits({ signal }) })),
  );

  server.registerTool(
    "download_usage",
    {
      title: "Report usage",
      description:
        "Reports how much the user's organization downloaded, by month, day or database, with totals. Samples are not counted.",
      inputSchema: {
        by: z.enum(["day", "month", "database"]).default("month"),
        from: z.iso
          .date()
          .optional()
          .describe("First day, in UTC (default: this month; by month, the last twelve months)."),
        to: z.iso.date().optional().describe("The day after the last one (default: tomorrow)."),
      },
      outputSchema: {
        usage: z.array(
          z.looseObject({
            period: z.string().nullable().describe("The day or month; null by database."),
            dataset_id: z.string().nullable().describe("Null unless by database."),
            format: z.string().nullable(),
            ...counts,
            closed: z.boolean().describe("Whether these numbers are final."),
          }),
        ),
        totals: z.looseObject(counts),
        from: z.string(),
        to: z.string().describe("The day after the last one."),
        final_until: z.string().nullable().describe("The first day whose numbers may still change."),
        updated: z.string().nullable().describe("The time up to which downloads are counted."),
      },
      annotations: READ_ONLY,
    },
    (period, { signal }) =>
      answer(async () => ({ ...(await explainRejection(client.usage({ ...period, signal }), () => INVALID_PERIOD)) })),
  );
}
