export interface Outgoing {
  method: "GET" | "POST" | "PATCH";
  url: URL;
  headers: Record<string, string>;
  body?: string;
  /** Until the headers of the answer are there, and then as the longest pause between bytes. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** Where the bytes of a body go. Whoever brings them puts them there, so that none need be copied. */
export interface Sink {
  /** Where the next bytes may be put; undefined when there is no room just now. */
  room(): Uint8Array | undefined;
  /** So many bytes were put into what `room` gave last. */
  filled(lengthBytes: number): void;
  /** Resolves when there is room, rejects when there never will be. */
  roomAgain(): Promise<void>;
}

export interface Incoming {
  status: number;
  header(name: string): string | null;
  text(): Promise<string>;
  /** Resolves when the body has arrived whole, as far as its headers tell. */
  pour(sink: Sink): Promise<void>;
  /** Nobody wants the body. */
  discard(): void;
}

/** Sends requests and follows no redirect. What it throws are errors of this library. */
export interface Transport {
  /** For small answers. */
  call(outgoing: Outgoing): Promise<Incoming>;
  /** For files. */
  transfer(outgoing: Outgoing): Promise<Incoming>;
}

/** Copies bytes that lie elsewhere, as far as there is room, and gives those that are left. */
export function place(bytes: Uint8Array, sink: Sink): Uint8Array {
  let left = bytes;
  while (left.length > 0) {
    const room = sink.room();
    if (!room) break;
    const piece = left.subarray(0, room.length);
    room.set(piece);
    sink.filled(piece.length);
    left = left.subarray(piece.length);
  }
  return left;
}

/** The same, as room comes. */
export async function pourBytes(bytes: Uint8Array, sink: Sink): Promise<void> {
  for (let left = place(bytes, sink); left.length > 0; left = place(left, sink)) await sink.roomAgain();
}
