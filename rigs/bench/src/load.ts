import { join } from "node:path";
import type { HttpRequest } from "../../harness/http.ts";
import { run } from "../../harness/processes.ts";

const CONNECTIONS = 64;
const SCRIPT = join(import.meta.dirname, "wrk.lua");

interface Load {
  origin: string;
  /** Sent in order, then repeated. */
  requests: HttpRequest[];
  seconds: number;
  /** The expected status. wrk only distinguishes statuses below 400 from the others. */
  status: number;
}

/** Runs wrk and returns the requests per second. */
export async function requestsPerSecond({ origin, requests, seconds, status }: Load): Promise<number> {
  const args = ["--threads", "1", "--connections", `${CONNECTIONS}`, "--timeout", "20s", "--duration", `${seconds}s`];
  const input = requests.map((request) => `${textOf(request)}\0`).join("");
  const { stdout } = await run("wrk", [...args, "--script", SCRIPT, origin], { input });
  const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? "{}");
  const expected = status >= 400 ? result.requests : 0;
  if (!(result.requests > 0) || result.failed > 0 || result.refused !== expected) {
    throw new Error(
      `${origin}${requests[0]?.path}: expected ${status} for every request, got ${JSON.stringify(result)}`,
    );
  }
  return result.requests / result.seconds;
}

function textOf({ path, headers }: HttpRequest): string {
  const lines = Object.entries({ Host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
