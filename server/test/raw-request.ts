import { connect } from "node:net";
import { text } from "node:stream/consumers";

/** Bytes that no HTTP client would send, and the answer to them. The request must end the connection. */
export async function rawRequest(
  apiUrl: string,
  request: string | Buffer,
): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(apiUrl);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  const answer = await text(socket);
  const [head = "", ...body] = answer.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head, body: body.join("\r\n\r\n") };
}
