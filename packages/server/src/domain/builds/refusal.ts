import { Fault } from "../../platform/primitives/faults.ts";

/**
 * Faulty: the build cannot be published. Suspicious: it can be published with `force`. Overtaken: the current build
 * changed since this one was staged.
 */
export type RefusalReason = "faulty" | "suspicious" | "overtaken";

/** Lists all reasons, because each attempt may upload gigabytes. */
export class BuildRefused extends Fault {
  readonly reason: RefusalReason;
  readonly faults: readonly string[];

  constructor(reason: RefusalReason, faults: readonly string[]) {
    super(reason === "faulty" ? "invalid" : "conflict", faults.join("\n"));
    this.name = "BuildRefused";
    this.reason = reason;
    this.faults = faults;
  }
}
