import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { HttpResponse } from "../exchange.ts";
import { start, stop } from "../processes.ts";

export interface FixedAnswer {
  status: number;
  headers: Record<string, string>;
  /** In base64. */
  body: string;
}

export interface BareHttp extends AsyncDisposable {
  origin: string;
}

/** Node.js adds these itself. */
const OWN_HEADERS = ["date", "connection", "keep-alive", "transfer-encoding"];

/** A bare node:http server in a process of its own that sends what the service has sent: status, headers and body. */
export async function startBareHttp(folder: string, { status, headers, body }: HttpResponse): Promise<BareHttp> {
  const answer: FixedAnswer = {
    status,
    headers: Object.fromEntries(headers.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()))),
    body: body.toString("base64"),
  };
  const file = join(folder, "answer.json");
  await writeFile(file, JSON.stringify(answer));
  const child = start(process.execPath, [join(import.meta.dirname, "bare-http-server.ts"), file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = (await once(child.stdout as Readable, "data")) as [Buffer];
  return { origin: `http://127.0.0.1:${Number(port)}`, [Symbol.asyncDispose]: () => stop(child) };
}
