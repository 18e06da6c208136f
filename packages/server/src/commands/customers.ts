import { readFile, rm, stat, writeFile } from "node:fs/promises";
import type { CustomersImport, NewSecret } from "@dbdepot/contract/operator/customers";
import { formatCsvRow } from "@dbdepot/formats/csv/write";
import { type Command, examples, note, Option, type Result, UsageError } from "@dbdepot/terminal/command";
import type { Account } from "../domain/access/account.ts";
import { requireOrganization } from "../domain/access/find-organization.ts";
import { issueLink } from "../domain/accounts/accounts.ts";
import { RECORD_KINDS } from "../domain/customers/columns.ts";
import { formatCustomersCsv } from "../domain/customers/csv-file.ts";
import { countOf, planToText } from "../domain/customers/diff.ts";
import { exportCustomers } from "../domain/customers/export.ts";
import { type CustomerFormat, importCustomers } from "../domain/customers/import.ts";
import { customersDocument } from "../domain/customers/json-file.ts";
import { BadLines, inWords } from "../platform/primitives/bad-lines.ts";
import { conflict, invalid } from "../platform/primitives/faults.ts";
import type { CommandContext, Run } from "./context.ts";
import { postOf } from "./post.ts";

const MAX_BYTES = 128 * 1024 * 1024;
const MAX_RECORDS = 1_000_000;

interface ImportOptions {
  format?: CustomerFormat | undefined;
  dryRun?: boolean | undefined;
  secrets?: string | undefined;
  invite?: boolean | undefined;
}

export function addCustomerCommands(program: Command, run: Run): void {
  const customers = program
    .command("customers")
    .description("Import and export organizations with their licences, people and keys");

  customers
    .command("import")
    .description("Import organizations, licences, accounts and keys: all of them or none")
    .argument("<file>", "CSV or JSON file")
    .addOption(formatOption("format of the file (default: by its name, or csv)"))
    .option("--dry-run", "show what would change, like a diff, and change nothing")
    .option("--secrets <file>", "new file for the secrets of new keys, .csv or .json")
    .option("--invite", "send an invitation to every new account")
    .addHelpText(
      "after",
      note(
        "Organizations are found again by their external id, so a file can be imported repeatedly. What is in the database but not in the file stays as it is. docs/operate/moving-in.md describes the format.",
      ),
    )
    .addHelpText(
      "after",
      examples(
        "dbdepot-server customers import customers.csv --dry-run",
        "dbdepot-server customers import customers.csv --secrets secrets.csv",
      ),
    )
    .action(run(importFile));

  customers
    .command("export")
    .description("Write all customers, or one, in the format that import reads")
    .argument("[file]", "file to write (default: standard output)")
    .option("--org <org>", "only this organization, by id or exact name")
    .addOption(formatOption("format of the file (default: by its name, or csv)"))
    .addHelpText(
      "after",
      note("Secrets are exported as SHA-256 hashes. Passwords and acceptances of terms are not exported."),
    )
    .addHelpText("after", examples("dbdepot-server customers export customers.json"))
    .action(run(exportFile));
}

function formatOption(description: string) {
  return new Option("--format <format>", description).choices(["csv", "json"] as const);
}

async function importFile(context: CommandContext, path: string, options: ImportOptions): Promise<Result> {
  const { output, settings, operation } = context;
  const { dryRun: isDryRun = false, secrets, invite = false } = options;
  if (invite && !settings.mail) throw new UsageError("--invite needs a mail server: set DBDEPOT_SMTP_URL");
  const file = { bytes: await readBounded(path), format: options.format ?? formatOf(path), maxRecords: MAX_RECORDS };
  const keeper = secretKeeper(secrets);
  try {
    const { result, newAccounts } = await importCustomers(await operation(), file, {
      isDryRun,
      keepSecrets: keeper.keep,
    });
    const invited = invite && !isDryRun ? await inviteAll(context, newAccounts) : undefined;
    // The secrets are in their own file, so that they do not end up in a log.
    const { secrets: _, ...shown } = result;
    return {
      json: { ...shown, ...(invited && { invited: invited.sent, invitations_waiting: invited.waiting }) },
      text: (isDryRun ? planToText(result) : "") + summaryOf(result, { secrets, invited }),
    };
  } catch (error) {
    await keeper.discard();
    if (!(error instanceof BadLines)) throw error;
    for (const line of error.lines) output.info(`${inWords(line)}\n`);
    output.info("Nothing was imported.\n");
    return { json: { bad_lines: error.lines }, text: "", exitCode: 1 };
  }
}

async function readBounded(path: string): Promise<Buffer> {
  if ((await stat(path)).size > MAX_BYTES) {
    throw invalid(`${path} is larger than ${MAX_BYTES / 1024 / 1024} MiB: import it in parts`);
  }
  return readFile(path);
}

function formatOf(path: string): CustomerFormat {
  return path.toLowerCase().endsWith(".json") ? "json" : "csv";
}

/** Writes the secrets of new keys before the import is committed, and removes them if it fails. */
function secretKeeper(path: string | undefined) {
  let written: string | undefined;
  return {
    async keep(secrets: readonly NewSecret[]): Promise<void> {
      if (path === undefined) {
        throw new UsageError(
          `${secrets.length === 1 ? "1 key gets a new secret" : `${secrets.length} keys get new secrets`}: name a file for them with --secrets, because they are not shown again`,
        );
      }
      const text = formatOf(path) === "json" ? `${JSON.stringify(secrets, null, 2)}\n` : secretsToCsv(secrets);
      await writeFile(path, text, { mode: 0o600, flag: "wx", flush: true }).catch((error: NodeJS.ErrnoException) => {
        throw error.code === "EEXIST" ? conflict(`${path} already exists: choose another name for --secrets`) : error;
      });
      written = path;
    },
    async discard(): Promise<void> {
      if (written !== undefined) await rm(written);
    },
  };
}

function secretsToCsv(secrets: readonly NewSecret[]): string {
  const columns = ["organization", "organization_name", "name", "key_prefix", "key"] as const;
  const rows = secrets.map((secret) => formatCsvRow(columns.map((name) => secret[name] ?? "")));
  return formatCsvRow(columns) + rows.join("");
}

/** How many invitations were sent, and how many a server will send later. */
interface Invited {
  sent: number;
  waiting: number;
}

/** Sends the invitations after the commit. A person without one can ask for a link on the sign-in page. */
async function inviteAll(context: CommandContext, accounts: readonly Account[]): Promise<Invited> {
  const post = postOf(context);
  const invited = { sent: 0, waiting: 0 };
  for (const { id } of accounts) {
    await issueLink(await context.operation(), undefined, id);
    // If the mail server is down, the others wait too.
    const state = invited.waiting > 0 ? "waiting" : (await post.sendAbout(id))?.state;
    if (state === "sent" || state === "waiting") invited[state] += 1;
  }
  return invited;
}

function summaryOf(
  result: CustomersImport,
  { secrets, invited }: { secrets: string | undefined; invited: Invited | undefined },
): string {
  const { changes, dry_run: isDryRun, unchanged } = result;
  const skipped = result.skipped.map(
    ({ line, email }) => `Line ${line}: ${email} is left out, because this person was erased.\n`,
  );
  if (changes.length === 0) return `${skipped.join("")}Nothing to do: ${unchanged} unchanged.\n`;
  const parts = (["create", "change"] as const).flatMap((action) => {
    const counts = RECORD_KINDS.flatMap((kind) => {
      const count = changes.filter((change) => change.action === action && change.kind === kind).length;
      return count > 0 ? [countOf(count, kind)] : [];
    });
    return counts.length > 0 ? [`${isDryRun ? `would ${action}` : `${action}d`} ${counts.join(", ")}`] : [];
  });
  const [first = "", ...rest] = [...parts, ...(isDryRun || unchanged === 0 ? [] : [`${unchanged} unchanged`])].join(
    "; ",
  );
  const newSecrets = changes.filter(({ creates_secret }) => creates_secret).length;
  const lines = [`${first.toUpperCase()}${rest.join("")}.`];
  if (newSecrets > 0 && isDryRun) lines.push("New keys get secrets: name a file for them with --secrets.");
  else if (newSecrets > 0) lines.push(`The new secrets are in ${secrets}. Pass them on, then delete the file.`);
  if (invited) {
    lines.push(`Sent ${invited.sent === 1 ? "1 invitation" : `${invited.sent} invitations`}.`);
    if (invited.waiting > 0)
      lines.push(`The mail server is slow or down: the server will send ${invited.waiting} later.`);
  }
  return skipped.join("") + lines.map((line) => `${line}\n`).join("");
}

async function exportFile(
  { store: openStore }: CommandContext,
  path: string | undefined,
  options: { org?: string | undefined; format?: CustomerFormat | undefined },
): Promise<Result> {
  const store = await openStore();
  const organizations =
    options.org === undefined ? await store.organizations.list() : [await requireOrganization(store, options.org)];
  const records = await exportCustomers(store, organizations);
  const format = options.format ?? (path === undefined ? "csv" : formatOf(path));
  const text =
    format === "csv" ? formatCustomersCsv(records) : `${JSON.stringify(customersDocument(records), null, 2)}\n`;
  if (path === undefined) return { json: customersDocument(records), text };
  await writeFile(path, text, { mode: 0o600 });
  const { length } = organizations;
  return {
    json: { file: path, organizations: length, records: records.length },
    text: `Wrote ${countOf(length, "organization")} (${records.length} records) to ${path}.\n`,
  };
}
