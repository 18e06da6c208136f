/** A bare node:http server that sends one fixed response to every request. Its argument is a JSON file with the response. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface FixedResponse {
  status: number;
  headers: Record<string, string>;
  bodyBase64: string;
}

const { status, headers, bodyBase64 } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as FixedResponse;
const body = Buffer.from(bodyBase64, "base64");

const server = createServer((_, response) => {
  response.writeHead(status, headers);
  response.end(body);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
