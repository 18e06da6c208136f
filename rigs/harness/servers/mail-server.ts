import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer } from "smtp-server";

/** How the server refuses e-mails: with a reply to the recipient or the content, or by closing the connection after the content. */
type Refusal = { at: "recipient" | "content"; code: number } | "disconnect";

/** A real mail server that keeps what it receives. */
export async function startMailServer(port = 0) {
  const mails: string[] = [];
  const sockets = new Set<Socket>();
  const behaviour: { refusal: Refusal | undefined } = { refusal: undefined };
  const refusalAt = (step: "recipient" | "content") => {
    const { refusal } = behaviour;
    if (typeof refusal !== "object" || refusal.at !== step) return undefined;
    return Object.assign(new Error("refused"), { responseCode: refusal.code });
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: (_address, _session, callback) => callback(refusalAt("recipient")),
    onData(stream, _session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const refusal = refusalAt("content");
        if (refusal) return callback(refusal);
        mails.push(readable(Buffer.concat(chunks).toString()));
        if (behaviour.refusal === "disconnect") for (const socket of sockets) socket.destroy();
        else callback();
      });
    },
  });
  server.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    behaviour,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Decodes the quoted-printable parts of the body, in which long lines are split. */
function readable(mail: string): string {
  const bodyAt = mail.indexOf("\r\n\r\n");
  const body = mail
    .slice(bodyAt)
    .replaceAll("=\r\n", "")
    .replace(/(=[0-9A-F]{2})+/g, (encoded) => Buffer.from(encoded.replaceAll("=", ""), "hex").toString());
  return mail.slice(0, bodyAt) + body;
}
