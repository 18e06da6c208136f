import { type Command, examples } from "@dbdepot/terminal/command";
import { formatTime } from "@dbdepot/terminal/format";
import type { LimitUse } from "../api/wire.gen.ts";
import type { Run } from "./context.ts";

export function addLimitsCommand(program: Command, run: Run): void {
  program
    .command("limits")
    .description("Show your organization's limits and how much of them is used")
    .addHelpText("after", examples("dbdepot limits"))
    .action(
      run(async ({ output, client, signals }) => {
        const limits = await client().limits({ signal: signals.stop });
        const rows = limits.map(({ limit, allowed, used, resets }) => [
          limit.replaceAll("_", " "),
          inUnit(limit, allowed),
          used === null ? undefined : inUnit(limit, used),
          resets === null ? undefined : formatTime(new Date(resets)),
        ]);
        const text = output.table(["LIMIT", "ALLOWED", "USED", "RESETS"], rows, "Your organization has no limits.");
        return { json: limits, text };
      }),
    );
}

/** Vendors set limits in decimal units, so 5 GB is shown as 5 GB. */
function inUnit(limit: LimitUse["limit"], amount: number): string {
  return limit === "bytes_per_month" ? `${Number((amount / 1e9).toPrecision(3))} GB` : String(amount);
}
