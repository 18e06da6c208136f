import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type FileHandle, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DirectConnection } from "../../src/objects/sendfile.ts";

const MIB = 1024 * 1024;

const bytes = randomBytes(16 * MIB);
let folder: string;
let file: FileHandle;
let server: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dbdepot-sendfile-"));
  await writeFile(join(folder, "file"), bytes);
  file = await open(join(folder, "file"));
  server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  server.close();
  await file.close();
  await rm(folder, { recursive: true });
});

/** Both ends of a connection, the client's one not read yet. */
async function connectEnds(): Promise<{ client: Socket; socket: Socket }> {
  const connected = once(server, "connection");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  const [socket] = (await connected) as [Socket];
  for (const end of [client, socket]) end.on("error", () => {}); // Some are broken off.
  onTestFinished(() => {
    client.destroy();
    socket.destroy();
  });
  return { client, socket };
}

async function openDirect(socket: Socket): Promise<DirectConnection> {
  const direct = await DirectConnection.open(socket);
  if (!direct) throw new Error("there is no direct way to this connection");
  return direct;
}

function descriptorOf(socket: Socket): number {
  return (socket as unknown as { _handle: { fd: number } })._handle.fd;
}

// Where the kernel cannot, the tests of transfers are all that there is to test.
describe.runIf(process.platform === "linux")("a direct connection", () => {
  test("sends the bytes that it was told to, from the position that it was told", async () => {
    const { client, socket } = await connectEnds();
    const direct = await openDirect(socket);
    expect(await direct.send(file, 5 * MIB + 1, 100_000)).toBe(100_000);
    await direct.close();
    socket.end();
    expect(bytes.subarray(5 * MIB + 1, 5 * MIB + 100_001).equals(await buffer(client))).toBe(true);
  });

  test("takes no more when it is full, and more again when the client has read", async () => {
    const { client, socket } = await connectEnds();
    const direct = await openDirect(socket);
    let position = 0;
    for (let sent = -1; sent !== 0; position += sent) sent = await direct.send(file, position, bytes.length - position);
    expect(position).toBeGreaterThan(0);
    expect(position).toBeLessThan(bytes.length);
    const received = buffer(client);
    await expect
      .poll(async () => (position += await direct.send(file, position, bytes.length - position)))
      .toBe(bytes.length);
    await direct.close();
    socket.end();
    expect(bytes.equals(await received)).toBe(true);
  });

  test("takes nothing for a client that is gone", async () => {
    const { client, socket } = await connectEnds();
    const direct = await openDirect(socket);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    client.resetAndDestroy();
    await closed;
    expect(await direct.send(file, 0, 100)).toBe(0);
    await direct.close();
  });

  test("takes nothing beyond the end of the file", async () => {
    const { socket } = await connectEnds();
    const direct = await openDirect(socket);
    expect(await direct.send(file, bytes.length, 100)).toBe(0);
    await direct.close();
  });

  test("never sends to whoever connects next and gets the number of the one that was closed", async () => {
    const first = await connectEnds();
    const direct = await openDirect(first.socket);
    const number = descriptorOf(first.socket);
    first.socket.destroy();
    await once(first.socket, "close");
    // Numbers are given out from the lowest, some of them to the clients' ends.
    const others = [];
    for (let i = 0; i < 10; i += 1) others.push(await connectEnds());
    expect(others.flatMap(({ client, socket }) => [descriptorOf(client), descriptorOf(socket)])).toContain(number);
    expect(await direct.send(file, 0, 1000)).toBe(1000);
    await direct.close();
    for (const { socket } of others) socket.end();
    for (const { client } of others) expect(await buffer(client)).toHaveLength(0);
    expect(bytes.subarray(0, 1000).equals(await buffer(first.client))).toBe(true);
  });

  test("takes what very many send at once, a few at a time", async () => {
    const { client, socket } = await connectEnds();
    const received = buffer(client);
    const direct = await openDirect(socket);
    const sent = await Promise.all(Array.from({ length: 1000 }, () => direct.send(file, 7, 10)));
    expect(new Set(sent)).toEqual(new Set([10]));
    await direct.close();
    socket.end();
    expect((await received).equals(Buffer.concat(sent.map(() => bytes.subarray(7, 17))))).toBe(true);
  });

  test("is not there for a connection that is closed, or encrypted", async () => {
    const { socket } = await connectEnds();
    expect(await DirectConnection.open(null)).toBeUndefined();
    expect(await DirectConnection.open(Object.assign(socket, { encrypted: true }))).toBeUndefined();
    const other = await connectEnds();
    other.socket.destroy();
    expect(await DirectConnection.open(other.socket)).toBeUndefined();
  });
});
