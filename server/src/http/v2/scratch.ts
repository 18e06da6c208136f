const FIRST_BYTES = 64 * 1024;
/** As many as there are slow readers, at the most; what comes back beyond is let go. */
const KEPT_MAX = 16;

/** Memory to put large answers together in, used again and again: as garbage they pile up to a gigabyte under load. */
export class Scratch {
  readonly #free: Page[] = [];

  take(): Page {
    const page = this.#free.pop() ?? new Page();
    page.clear();
    return page;
  }

  /** When the answer is out. */
  giveBack(page: Page): void {
    if (this.#free.length < KEPT_MAX) this.#free.push(page);
  }
}

class Page {
  #memory = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #lengthBytes = 0;

  clear(): void {
    this.#lengthBytes = 0;
  }

  add(bytes: Buffer): void {
    this.#makeRoom(bytes.length);
    this.#memory.set(bytes, this.#lengthBytes);
    this.#lengthBytes += bytes.length;
  }

  /** ASCII: a character is a byte. */
  addText(ascii: string): void {
    this.#makeRoom(ascii.length);
    this.#lengthBytes += this.#memory.write(ascii, this.#lengthBytes, "latin1");
  }

  /** Until it is cleared. */
  bytes(): Buffer {
    return this.#memory.subarray(0, this.#lengthBytes);
  }

  #makeRoom(bytes: number): void {
    const needed = this.#lengthBytes + bytes;
    if (needed <= this.#memory.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#memory.length));
    this.#memory.copy(larger, 0, 0, this.#lengthBytes);
    this.#memory = larger;
  }
}
