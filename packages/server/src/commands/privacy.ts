import { type Command, examples, note, type Result } from "@dbdepot/terminal/command";
import type { Output } from "@dbdepot/terminal/output";
import {
  type Erased,
  type ErasurePlan,
  eraseOrganizationPeople,
  erasePerson,
  erasurePlanToWire,
  planErasure,
  planOrganizationErasure,
} from "../domain/privacy/erase.ts";
import { exportPerson } from "../domain/privacy/people.ts";
import type { PersonalRows } from "../domain/privacy/store.ts";
import { invalid } from "../platform/primitives/faults.ts";
import type { CommandContext, Run } from "./context.ts";

export function addPrivacyCommands(program: Command, run: Run): void {
  const privacy = program.command("privacy").description("Export or erase what is stored about people");

  privacy
    .command("export")
    .description("Print everything stored about a person, as JSON")
    .argument("<person>", "person, by e-mail address or account id")
    .addHelpText("after", note("Contains no passwords or other secrets, and does not name other people."))
    .addHelpText("after", examples("dbdepot-server privacy export ada@acme.example > ada.json"))
    .action(
      run(async ({ store, clock }, idOrEmail) => {
        const json = await exportPerson(await store(), idOrEmail, clock());
        return { json, text: `${JSON.stringify(json, null, 2)}\n` };
      }),
    );

  privacy
    .command("erase")
    .description("Delete or anonymize everything about a person, or about all people of an organization")
    .argument("[person]", "person, by e-mail address or account id")
    .option("--organization <org>", "all people of this organization, by id or exact name")
    .option("--yes", "erase them; without it, only show what would be done")
    .option("--even-last", "also erase the last operator, or the last admin of an organization")
    .addHelpText(
      "after",
      note(
        "Cannot be undone. Keys stay, because they belong to the organization. Backups keep the data until they are deleted.",
      ),
    )
    .addHelpText(
      "after",
      examples(
        "dbdepot-server privacy erase ada@acme.example",
        "dbdepot-server privacy erase ada@acme.example --yes",
        "dbdepot-server privacy erase --organization Acme --yes",
      ),
    )
    .action(run(erase));
}

interface EraseOptions {
  organization?: string | undefined;
  yes?: boolean | undefined;
  evenLast?: boolean | undefined;
}

async function erase(
  { output, operation: openOperation, spool }: CommandContext,
  person: string | undefined,
  { organization, yes = false, evenLast = false }: EraseOptions,
): Promise<Result> {
  if ((person === undefined) === (organization === undefined)) {
    throw invalid("name a person, or an organization with --organization");
  }
  const operation = await openOperation();
  const { store } = operation;
  if (!yes) {
    const plans =
      organization === undefined
        ? [await planErasure(store, person ?? "")]
        : await planOrganizationErasure(store, organization);
    return { json: { erased: false, people: plans.map(erasurePlanToWire) }, text: planInWords(output, plans) };
  }
  const erased =
    organization === undefined
      ? [await erasePerson(operation, spool, person ?? "", { evenLast })]
      : await eraseOrganizationPeople(operation, spool, organization);
  return { json: { erased: true, people: erased }, text: erasedInWords(erased) };
}

function planInWords(output: Output, plans: readonly ErasurePlan[]): string {
  const people = plans.map((plan) => {
    const { email, warning } = erasurePlanToWire(plan);
    return `${email}${warning ? `\n  Warning: ${warning}.` : ""}\n`;
  });
  const total = new Map<string, PersonalRows>();
  for (const { table, action, count } of plans.flatMap(({ rows }) => rows)) {
    total.set(table, { table, action, count: count + (total.get(table)?.count ?? 0) });
  }
  const rows = [...total.values()].map(({ table, action, count }) => [table, action, count]);
  const next = plans.length === 1 && plans[0]?.last ? "--yes --even-last" : "--yes";
  return `${people.join("")}\n${output.table(["TABLE", "ROWS ARE", "COUNT"], rows, "Nothing is stored.")}\nNothing has been changed yet. To erase ${plans.length === 1 ? "this person" : "these people"}, repeat the command with ${next}.\n`;
}

function erasedInWords(erased: readonly Erased[]): string {
  const lines = erased.map(({ pseudonym, rows }) => {
    const count = (action: PersonalRows["action"]) =>
      rows.filter((row) => row.action === action).reduce((sum, row) => sum + row.count, 0);
    return `Erased. In the audit log, the person is now ${pseudonym}. Rows deleted: ${count("deleted")}, anonymized: ${count("anonymized")}.\n`;
  });
  return `${lines.join("")}Backups keep the data until they are deleted.\n`;
}
