import { type Command, examples } from "@dbdepot/terminal/command";
import { integer } from "@dbdepot/terminal/values";
import type { Run } from "./context.ts";

const LIMIT_MAX = 100_000;

export function addAuditCommand(program: Command, run: Run): void {
  program
    .command("audit")
    .description("Show who changed what, newest first (--json includes the state before and after)")
    .option("--subject <id>", "only changes of this organization, family, version, build, licence or key")
    .option("--limit <n>", "maximum number of entries", integer(1, LIMIT_MAX), 50)
    .addHelpText("after", examples("dbdepot-server audit --subject vpn_ip_v1"))
    .action(
      run(async ({ output, store }, { subject, limit }) => {
        const { audit } = await store();
        const entries = await audit.list({ limit, ...(subject !== undefined && { subject }) });
        return {
          json: entries.map((entry) => ({ ...entry, created: entry.created.toISOString() })),
          text: output.table(
            ["TIME", "WHO", "WHAT", "SUBJECT"],
            entries.map(({ created, actor, action, subject }) => [created, actor, action, subject]),
            "No changes yet.",
          ),
        };
      }),
    );
}
