/** The least that Node.js can do: one answer, known before, to whatever is asked. Its argument is a file with the answer. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FixedAnswer } from "./bare-http.ts";

const { status, headers, body } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as FixedAnswer;
const bytes = Buffer.from(body, "base64");

const server = createServer((_, response) => {
  response.writeHead(status, headers);
  response.end(bytes);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
