export interface Parser {
  name: string;
  /** Valid input, which the fuzzer damages. */
  examples: Buffer[];
  parse(input: Buffer): unknown;
  /** Whether it may throw this error. */
  isRefusal?(error: unknown): boolean;
}
