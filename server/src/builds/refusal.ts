import { Fault } from "../faults.ts";

/**
 * Faulty: it cannot be published. Suspicious: it can, if somebody insists. Overtaken:
 * another build became the current one since this one was begun.
 */
export type RefusalReason = "faulty" | "suspicious" | "overtaken";

/** Why a build was not published: everything at once, since each try may cost gigabytes. */
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
