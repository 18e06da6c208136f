import {
  LICENCE_KINDS,
  LICENCE_SORTS,
  LICENCE_STATES,
  type OperatorLicence,
} from "@dbdepot/contract/operator/licences";
import { type Command, examples, Option, type Result, UsageError } from "@dbdepot/terminal/command";
import { formatDay } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import type { Cell } from "@dbdepot/terminal/table";
import { organizationIdOf } from "../domain/access/find-organization.ts";
import { requireFamily } from "../domain/catalogue/catalogue.ts";
import { isLive, type Licence } from "../domain/licences/licence.ts";
import { endLicence, grantLicence, type LicenceChange, renewLicence } from "../domain/licences/licences.ts";
import { licenceToWire } from "../domain/licences/wire.ts";
import type { Store } from "../domain/store.ts";
import type { CommandContext, Run } from "./context.ts";
import { SEARCH_OPTION, sortOption } from "./lists.ts";
import { postOf } from "./post.ts";
import { endOf, timeOrDuration, timeOrNever } from "./values.ts";

export function addLicenceCommands(program: Command, run: Run): void {
  const licences = program.command("licences").description("Grant, renew and end licences");

  licences
    .command("grant")
    .description("Grant an organization a licence for a family")
    .argument("<org>", "organization, by id or exact name")
    .argument("<family>", "family name, like vpn_ip")
    .requiredOption("--redistribution <kind>", "evaluation, internal or redistribute")
    .option(
      "--starts <time>",
      "start of the licence: a date, or a duration from now like 7d (default: now)",
      timeOrDuration,
    )
    .option(
      "--expires <time>",
      'end of the licence: a date, a duration from now like 365d, or "never" (default: never; for an evaluation, DBDEPOT_EVALUATION_DAYS)',
      timeOrNever,
    )
    .option("--renews-at <time>", "when the contract renews automatically: a date, or a duration from now", timeOrNever)
    .option("--notice-due-at <time>", "last day to give notice: a date, or a duration from now", timeOrNever)
    .option(...TERMS_OPTION)
    .addHelpText(
      "after",
      examples(
        "dbdepot-server licences grant Acme vpn_ip --redistribution evaluation",
        "dbdepot-server licences grant Acme vpn_ip --redistribution internal \\",
        "  --renews-at 2028-01-01 --notice-due-at 2027-10-01",
        "dbdepot-server licences grant Acme vpn_ip --redistribution internal --terms data-licence",
      ),
    )
    .action(
      run(async (context, organization, base, { redistribution, starts, ...change }) => {
        const { output } = context;
        const operation = await context.operation();
        const licence = await grantLicence(operation, {
          organization,
          base,
          redistribution,
          starts,
          ...changeOf(change),
        });
        const { store, now } = operation;
        const { organizationId } = licence;
        await sendSettled(context, store, licence, now);
        const others = (await store.licences.list({ organizationId, base })).filter(
          (other) => other.id !== licence.id && isLive(other, now),
        );
        const also = others.map((other) =>
          other.expires ? `${other.id} until ${formatDay(other.expires)}` : `${other.id} with no end`,
        );
        const holder = (await store.organizations.byId(organizationId))?.name;
        return licenceResult(output, licence, now, {
          organization: holder,
          ...(also.length > 0 && { "also live": also }),
        });
      }),
    );

  licences
    .command("list")
    .description("List licences, of all organizations or of one")
    .argument("[org]", "organization, by id or exact name")
    .option("--family <family>", "only licences for this family")
    .addOption(
      new Option("--redistribution <kind>", "only licences of this kind; contract: all but evaluations").choices(
        LICENCE_KINDS,
      ),
    )
    .addOption(new Option("--state <state>", "only licences in this state").choices(LICENCE_STATES))
    .option(
      "--ends-before <time>",
      "only current and future licences that end before this time: a date, or a duration from now like 14d",
      timeOrDuration,
    )
    .option(...SEARCH_OPTION)
    .addOption(sortOption(LICENCE_SORTS))
    .addHelpText(
      "after",
      examples(
        "dbdepot-server licences list --redistribution evaluation --ends-before 14d",
        "dbdepot-server licences list --state live --sort expires",
      ),
    )
    .action(
      run(async ({ output, store: openStore, clock }, org, options) => {
        const { family, redistribution, state, endsBefore, search, sort } = options;
        const store = await openStore();
        const now = clock();
        const names = new Map((await store.organizations.list()).map(({ id, name }) => [id, name]));
        const organizationId = await organizationIdOf(store, org);
        const base = family === undefined ? undefined : (await requireFamily(store, family)).base;
        const ending = endsBefore && { before: endsBefore, now };
        const filter = { organizationId, base, redistribution, state: state && { is: state, at: now }, ending };
        const { items } = await store.licences.page(filter, { search, sort });
        const licences = items.map((licence) => licenceToWire(licence, now));
        return {
          json: licences,
          text: output.table(
            [
              "ID",
              "ORGANIZATION",
              "FAMILY",
              "EXPIRES",
              "STATE",
              "REDISTRIBUTION",
              "STARTS",
              "RENEWS",
              "NOTICE DUE",
              "TERMS",
            ],
            licences.map((licence) => [
              licence.id,
              names.get(licence.organization_id),
              licence.base,
              licence.expires?.slice(0, 10) ?? "never",
              stateText(licence),
              licence.redistribution,
              licence.starts.slice(0, 10),
              licence.renews_at?.slice(0, 10),
              licence.notice_due_at?.slice(0, 10),
              licence.terms,
            ]),
            "No licences found.",
          ),
        };
      }),
    );

  licences
    .command("renew")
    .description("Change the end of a licence, the dates of its contract, or the terms to accept")
    .argument("<licence>", "licence id")
    .option("--expires <time>", 'new end: a date, a duration from now like 365d, or "never"', timeOrNever)
    .option("--renews-at <time>", 'when the contract renews automatically: a date, a duration, or "never"', timeOrNever)
    .option("--notice-due-at <time>", 'last day to give notice: a date, a duration, or "never"', timeOrNever)
    .option("--terms <terms>", 'terms that must be accepted: a name for its newest version, a version, or "none"')
    .action(
      run(async (context, id, options) => {
        const { expires, renewsAt, noticeDueAt, terms } = options;
        if (!expires && !renewsAt && !noticeDueAt && terms === undefined)
          throw new UsageError("nothing to change: give --expires, --renews-at, --notice-due-at or --terms");
        const operation = await context.operation();
        const { store, now } = operation;
        const licence = await renewLicence(operation, id, changeOf(options));
        await sendSettled(context, store, licence, now);
        return licenceResult(context.output, licence, now);
      }),
    );

  licences
    .command("end")
    .description("End a licence now")
    .argument("<licence>", "licence id")
    .action(
      run(async ({ output, operation: openOperation }, id) => {
        const operation = await openOperation();
        return licenceResult(output, await endLicence(operation, id), operation.now);
      }),
    );
}

/** The option of commands that grant a licence. */
export const TERMS_OPTION = [
  "--terms <terms>",
  "terms that must be accepted before the first download: a name for its newest version, or a version like data-licence@2",
] as const;

type ChangeOptions = { [Name in Exclude<keyof LicenceChange, "terms">]?: Date | "never" | undefined } & {
  terms?: string | undefined;
};

/** The options as written on the command line. "never" removes a date, and "none" the terms. */
export function changeOf({ expires, renewsAt, noticeDueAt, terms }: ChangeOptions): LicenceChange {
  return {
    expires: expires && endOf(expires),
    renewsAt: renewsAt && endOf(renewsAt),
    noticeDueAt: noticeDueAt && endOf(noticeDueAt),
    terms: terms === "none" ? null : terms,
  };
}

function licenceResult(output: Output, licence: Licence, now: Date, more: Record<string, Cell> = {}): Result {
  const wire = licenceToWire(licence, now);
  return {
    json: wire,
    text: output.details({
      id: licence.id,
      family: licence.base,
      redistribution: licence.redistribution,
      state: stateText(wire),
      starts: licence.starts,
      expires: licence.expires ?? "never",
      ...(licence.renewsAt && { renews: licence.renewsAt }),
      ...(licence.noticeDueAt && { "notice due": licence.noticeDueAt }),
      ...(licence.termsId && { terms: licence.termsId }),
      ...more,
    }),
  };
}

function stateText({ state, starts }: OperatorLicence): string {
  return state === "upcoming" ? `starts ${starts.slice(0, 10)}` : state;
}

/** Tells everyone whose request the licence has settled. */
async function sendSettled(context: CommandContext, store: Store, { id }: Licence, now: Date): Promise<void> {
  const post = postOf(context);
  for (const request of await store.requests.settled(id, now)) await post.sendAbout(request.id);
}
