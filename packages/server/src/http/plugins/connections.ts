import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionError } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { hasBody } from "./json-bodies.ts";

/** The last response of every connection, for `handleClientError`. */
const lastResponses = new WeakMap<Socket, ServerResponse>();

/** Decides when connections are closed. */
export const connections = fastifyPlugin<{ unreadBodyMs: number }>(async (app, { unreadBodyMs }) => {
  app.addHook("onRequest", (request, reply, done) => {
    lastResponses.set(request.raw.socket, reply.raw);
    if (hasBody(request.raw)) reply.raw.once("finish", () => closeUnlessComplete(request.raw, unreadBodyMs));
    // Files are sent without onSend hooks.
    if (!app.server.listening) reply.header("connection", "close");
    done();
  });
  // Tells clients to open a new connection, to another server, once this one is closing.
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (!app.server.listening) reply.header("connection", "close");
    done(null, payload);
  });
});

/**
 * Closes the connection of a client that keeps sending a body after the response, for example to an unknown address or with
 * a refused key. It gets some time first, because many clients read the response only after they have sent everything.
 */
function closeUnlessComplete(request: IncomingMessage, timeoutMs: number): void {
  if (request.complete) return;
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, timeoutMs);
  timer.unref();
}

/** Responds to data that Node cannot parse as a request: headers that are too large, or something other than HTTP. */
export function handleClientError(error: ConnectionError, socket: Socket): void {
  const response = lastResponses.get(socket);
  const isResponding = response?.headersSent && !response.writableFinished;
  // Anything written now would become part of the response that is being sent.
  if (error.code === "ECONNRESET" || !socket.writable || isResponding) {
    socket.destroy();
    return;
  }
  const [status, rc] = RESPONSES[error.code] ?? ["400 Bad Request", "BAD_REQUEST"];
  const body = JSON.stringify({ rc });
  const lines = [
    `HTTP/1.1 ${status}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${body.length}`,
    `X-Request-Id: ${randomBytes(8).toString("hex")}`,
    "Connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

const RESPONSES: Record<string, [status: string, rc: string]> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "HEADERS_TOO_LARGE"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "REQUEST_TIMEOUT"],
};
