import { integerOption } from "@dbdepot/terminal/arguments";
import { table } from "@dbdepot/terminal/table";
import { command } from "./command.ts";

const LIMIT_MAX = 100_000;

export const auditCommands = [
  command({
    words: "audit",
    summary: "Show who changed what, newest first; --json shows before and after.",
    arguments: [],
    options: {
      subject: { value: "ID", help: "Of this organization, family, version, build, licence or key only." },
      limit: { value: "N", help: `At most so many, up to ${LIMIT_MAX}; left out: 50.` },
    },
    async run(workplace, _, { subject, limit = "50" }) {
      const rows = integerOption("limit", limit, 1, LIMIT_MAX);
      const store = await workplace.store();
      const entries = await store.audit.list({ limit: rows, ...(subject !== undefined && { subject }) });
      return {
        json: entries.map((entry) => ({ ...entry, created: entry.created.toISOString() })),
        text: table(
          ["TIME", "WHO", "WHAT", "SUBJECT"],
          entries.map(({ created, actor, action, subject }) => [created, actor, action, subject]),
          "Nothing has been changed yet.",
        ),
      };
    },
  }),
];
