import { write, writeSync } from "node:fs";

const BLOCK_CHARACTERS = 256 * 1024;
const DELAY_MS = 100;
const RETRY_MS = 10;
/** A reader that has stopped reading must not fill our memory. */
const PENDING_MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Writes lines to a file descriptor in blocks: at tens of thousands a second each write of its own costs more than the
 * request, and pino's own buffer cost more than this one. A line is out after a tenth of a second; the last ones when the process ends.
 */
export class LogStream {
  readonly #fd: number;
  #pending = "";
  #lostLines = 0;
  #timer: NodeJS.Timeout | undefined;
  #isWriting = false;

  constructor(fd: number) {
    this.#fd = fd;
    process.once("exit", () => this.#flushNow());
  }

  write(line: string): void {
    if (this.#pending.length > PENDING_MAX_CHARACTERS) {
      this.#lostLines += 1;
      return;
    }
    this.#pending += line;
    if (this.#pending.length > BLOCK_CHARACTERS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), DELAY_MS).unref();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isWriting || this.#pending === "") return;
    const block = Buffer.from(this.#pending);
    this.#pending = "";
    this.#isWriting = true;
    this.#writeBlock(block);
  }

  #writeBlock(block: Buffer): void {
    write(this.#fd, block, (error, writtenBytes) => {
      const rest = block.subarray(error ? 0 : writtenBytes);
      // A pipe that is full says so. Nobody can be told of any other fault: the log itself is gone.
      if (error?.code === "EAGAIN") setTimeout(() => this.#writeBlock(rest), RETRY_MS);
      else if (!error && rest.length > 0) this.#writeBlock(rest);
      else this.#goOn();
    });
  }

  #goOn(): void {
    this.#isWriting = false;
    if (this.#lostLines > 0) {
      this.#pending += `{"level":"warn","msg":"${this.#lostLines} lines were lost: nobody reads the log"}\n`;
      this.#lostLines = 0;
    }
    this.#flush();
  }

  #flushNow(): void {
    try {
      writeSync(this.#fd, this.#pending);
    } catch {
      // It is too late for anything else.
    }
    this.#pending = "";
  }
}
