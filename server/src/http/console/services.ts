import type { Mailer } from "../../mail/mailer.ts";
import type { SignInThrottle } from "./throttle.ts";

/** What the console's endpoints work with, in addition to what all endpoints do. */
export interface ConsoleServices {
  /** URL of the API as people see it. Known once the server listens. */
  publicUrl(): string;
  version: string;
  /** Whether the data are examples. */
  isDemo: boolean;
  /** Undefined: links are passed on by people. */
  mailer: Mailer | undefined;
  throttle: SignInThrottle;
  /** Logs a failure of something that no response waits for. */
  onError(message: string, error: unknown): void;
}
