import { connect } from "node:net";
import { text } from "node:stream/consumers";

/** Sends bytes that may be invalid HTTP and returns the response. The request must make the server close the connection. */
export async function rawRequest(
  apiUrl: string,
  request: string | Buffer,
): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(apiUrl);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  const response = await text(socket);
  const [head = "", ...body] = response.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head, body: body.join("\r\n\r\n") };
}
