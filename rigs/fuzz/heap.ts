import { readFile } from "node:fs/promises";

const INSPECTOR = /^Debugger listening on (ws:\S+)$/m;
/** The first collection runs finalizers, whose garbage the next ones collect. */
const COLLECTIONS = 3;

/**
 * Returns the size of the main thread's heap after garbage collections, as the inspector reports it. The heap metric of
 * `/metrics` includes garbage, which is most of the heap of a busy server.
 */
export async function heapUsedBytes(stderrFile: string): Promise<number> {
  const url = INSPECTOR.exec(await readFile(stderrFile, "utf8"))?.[1];
  if (!url) throw new Error(`${stderrFile} contains no address of an inspector`);
  const socket = new WebSocket(url);
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
  socket.addEventListener("open", () => resolve(), { once: true });
  socket.addEventListener("error", () => reject(new Error(`cannot connect to ${url}`)), { once: true });
  await opened;
  try {
    for (let i = 0; i < COLLECTIONS; i += 1) await call(socket, "HeapProfiler.collectGarbage");
    const { usedSize } = await call<{ usedSize: number }>(socket, "Runtime.getHeapUsage");
    return usedSize;
  } finally {
    socket.close();
  }
}

/** One call at a time, so the next message with an id is the response. */
function call<T>(socket: WebSocket, method: string): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const receive = ({ data }: MessageEvent) => {
    const message = JSON.parse(String(data)) as { id?: number; result: T };
    if (message.id === undefined) return;
    socket.removeEventListener("message", receive);
    resolve(message.result);
  };
  socket.addEventListener("message", receive);
  socket.send(JSON.stringify({ id: 1, method }));
  return promise;
}
