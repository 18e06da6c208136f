import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { DbdepotClient } from "../../client.ts";
import { inOneLine } from "../explanation.ts";

/** The client and the directory that the tools read from. */
export interface Access {
  client: DbdepotClient;
  /** The directory into which `dbdepot sync` puts databases. */
  directory: string;
}

export const READ_ONLY: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const DatabaseId = z
  .string()
  .regex(/^[a-zA-Z0-9_]{1,64}$/, "a database id looks like vpn_ip_v1; list_databases shows them")
  .describe("Database id, like vpn_ip_v1. list_databases shows them.");

/** The result as structured content, and as text for hosts that don't know it. Errors say what to do. */
export async function answer(work: () => Promise<Record<string, unknown>>): Promise<CallToolResult> {
  try {
    const structuredContent = await work();
    return { content: [{ type: "text", text: JSON.stringify(structuredContent, null, 2) }], structuredContent };
  } catch (error) {
    return { content: [{ type: "text", text: inOneLine(error) }], isError: true };
  }
}
