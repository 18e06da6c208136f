import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";

/** For what never became a request: headers that are too large, or no HTTP at all. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, rc] = ANSWERS[error.code ?? ""] ?? ["400 Bad Request", "BAD_REQUEST"];
  const body = JSON.stringify({ rc });
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${body.length}`,
      `X-Request-Id: ${randomBytes(8).toString("hex")}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

const ANSWERS: Record<string, [status: string, rc: string]> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "HEADERS_TOO_LARGE"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "REQUEST_TIMEOUT"],
};
