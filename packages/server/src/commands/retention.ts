import type { RetentionPreview } from "@dbdepot/contract/operator/retention";
import { type Command, examples, note } from "@dbdepot/terminal/command";
import { formatBytes, formatDay } from "@dbdepot/terminal/format";
import { previewRetention } from "../domain/retention/loop.ts";
import type { Run } from "./context.ts";

export function addRetentionCommands(program: Command, run: Run): void {
  const retention = program.command("retention").description("Show what the retention settings remove");

  retention
    .command("preview")
    .description("Show what would be removed now under the current settings")
    .addHelpText("after", note("Removes nothing: running servers do that every hour."))
    .addHelpText("after", examples("DBDEPOT_HISTORY_RETENTION_DAYS=365 dbdepot-server retention preview"))
    .action(
      run(async ({ output, settings, store, clock }) => {
        const rules = await previewRetention({ store: await store(), policy: settings.retention, now: clock() });
        return {
          json: { rules },
          text: `${output.table(
            ["KIND", "COUNT", "SIZE", "OLDEST", "SETTING", "RULE"],
            rules.map((rule) => [rule.kind, ...amountOf(rule), rule.settings.join(", "), rule.rule]),
            "No rules.",
          )}`,
        };
      }),
    );
}

function amountOf({ on, count, bytes, oldest }: RetentionPreview): (string | undefined)[] {
  if (!on) return [undefined, undefined, undefined];
  return [count.toString(), formatBytes(bytes), oldest === null ? undefined : formatDay(new Date(oldest))];
}
