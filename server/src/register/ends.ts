const CHUNK_BITS = 12;
const CHUNK_PAIRS = 1 << CHUNK_BITS;

/** When a key ends and when its secret does. */
export interface Ends {
  key: Date | null;
  secret: Date | null;
}

/** Each known by a number, in 16 bytes outside of the heap. */
export class EndsList {
  readonly #chunks: Float64Array[] = [];
  #size = 0;

  add(ends: Ends): number {
    const number = this.#size;
    if (number % CHUNK_PAIRS === 0) this.#chunks.push(new Float64Array(CHUNK_PAIRS * 2));
    this.#size += 1;
    this.put(number, ends);
    return number;
  }

  put(number: number, { key, secret }: Ends): void {
    const chunk = this.#chunks[number >>> CHUNK_BITS] as Float64Array;
    const at = (number % CHUNK_PAIRS) * 2;
    chunk[at] = key?.getTime() ?? Number.NaN;
    chunk[at + 1] = secret?.getTime() ?? Number.NaN;
  }

  at(number: number): Ends {
    const chunk = this.#chunks[number >>> CHUNK_BITS] as Float64Array;
    const at = (number % CHUNK_PAIRS) * 2;
    return { key: dateOf(chunk[at]), secret: dateOf(chunk[at + 1]) };
  }
}

function dateOf(ms = Number.NaN): Date | null {
  return Number.isNaN(ms) ? null : new Date(ms);
}
