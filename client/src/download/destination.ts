import type { Sink } from "../transport/transport.ts";
import type { Findings } from "./examiner.ts";

/** Where a download goes. */
export interface Destination {
  sink: Sink;
  takenBytes: number;
  /** What an earlier run had left. */
  resumedFromBytes: number;
  /** From its first byte on, a file with this digest comes. False: it has begun with another one, and cannot go back. */
  begin(sha256: string): Promise<boolean>;
  /** Back to the first byte of the same file, whatever was left of it. False where that cannot be. */
  restart(): Promise<boolean>;
  expect(sizeBytes: number | null): void;
  sha256SoFar(): Promise<string>;
  end(): Promise<Findings>;
  /** It is as it should be: put it into its place. */
  accept(): Promise<void>;
  /** It is not. `keep`: what there is of it may be taken up later. */
  abandon(keep: boolean): Promise<void>;
}
