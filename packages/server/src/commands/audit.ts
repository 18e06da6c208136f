import { type Command, examples } from "@dbdepot/terminal/command";
import { integer } from "@dbdepot/terminal/values";
import type { AuditEntry } from "../domain/audit/entry.ts";
import { auditFilter } from "../domain/audit/filter.ts";
import { auditEntryToWire } from "../domain/audit/wire.ts";
import type { Store } from "../domain/store.ts";
import type { Run } from "./context.ts";
import { timeOrAge } from "./values.ts";

/** The fields that contain a name, in the states of all nouns. */
interface NamedState {
  name?: string;
  organizationId?: string | null;
  base?: string;
  version_id?: string;
}

const LIMIT_MAX = 100_000;

export function addAuditCommand(program: Command, run: Run): void {
  program
    .command("audit")
    .description("Show who changed what, newest first (--json includes the state before and after)")
    .option(
      "--subject <subject>",
      "only changes of this organization (id or exact name) with its licences and keys, key (id or prefix), family, version, build or licence",
    )
    .option("--actor <actor>", "only changes by this actor, like account:ada@example.com or key:dbd_8Xq2mLw1")
    .option("--action <action>", "only this action, like licence.granted, or all actions on a noun, like licence")
    .option("--since <time>", "only changes at or after this time: a date, or an age like 7d", timeOrAge)
    .option("--until <time>", "only changes before this time: a date, or an age like 1h", timeOrAge)
    .option("--limit <n>", "maximum number of entries", integer(1, LIMIT_MAX), 50)
    .addHelpText(
      "after",
      examples("dbdepot-server audit --subject Acme", "dbdepot-server audit --action licence --since 7d"),
    )
    .action(
      run(async ({ output, store: openStore }, { limit, ...query }) => {
        const opened = await openStore();
        const entries = await opened.audit.list({ ...(await auditFilter(opened, query)), limit });
        const names = await namesIn(opened, entries);
        return {
          json: entries.map(auditEntryToWire),
          text: output.table(
            ["TIME", "WHAT", "NAME", "WHO", "SUBJECT"],
            entries.map((entry) => [
              entry.created,
              entry.action,
              nameOf(entry, names),
              withName(entry.actor, names.get(entry.actor)),
              entry.subject,
            ]),
            "No changes found.",
            undefined,
            2,
          ),
        };
      }),
    );
}

/** The names of organizations by id, and of the keys that made changes by actor ("key:dbd_8Xq2mLw1"). */
async function namesIn(store: Store, entries: readonly AuditEntry[]): Promise<Map<string, string>> {
  const names = new Map((await store.organizations.list()).map(({ id, name }) => [id, name]));
  for (const actor of new Set(entries.map(({ actor }) => actor))) {
    const key = actor.startsWith("key:") ? await store.keys.byPrefix(actor.slice("key:".length)) : undefined;
    if (key) names.set(actor, key.name);
  }
  return names;
}

/** Returns the name by which people know the subject: its own name, the holder and family of a licence, or the version of a build. */
function nameOf({ after, before }: AuditEntry, names: ReadonlyMap<string, string>): string | undefined {
  const { name, organizationId, base, version_id } = (after ?? before ?? {}) as NamedState;
  if (name !== undefined) return name;
  const holder = organizationId ? names.get(organizationId) : undefined;
  return [holder, base ?? version_id].filter((part) => part !== undefined).join(" ") || undefined;
}

function withName(id: string, name: string | undefined): string {
  return name === undefined ? id : `${id} (${name})`;
}
