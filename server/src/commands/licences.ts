import type { OperatorLicence } from "@dbdepot/contract/operator";
import { type Command, examples, type Result } from "@dbdepot/terminal/command";
import type { Output } from "@dbdepot/terminal/output";
import type { Licence } from "../licences/licence.ts";
import { endLicence, grantLicence, renewLicence } from "../licences/licences.ts";
import { licenceToWire } from "../licences/wire.ts";
import { organizationIdOf } from "../organizations/organizations.ts";
import type { Run } from "./context.ts";
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
      "end of the licence: a date, or a duration from now like 365d (default: never)",
      timeOrNever,
    )
    .addHelpText(
      "after",
      examples("dbdepot-server licences grant Acme vpn_ip --redistribution internal --expires 2028-01-01"),
    )
    .action(
      run(async ({ output, operation: openOperation }, organization, base, { redistribution, starts, expires }) => {
        const operation = await openOperation();
        const licence = await grantLicence(operation, {
          organization,
          base,
          redistribution,
          starts,
          expires: expires && endOf(expires),
        });
        return licenceResult(output, licence, operation.now);
      }),
    );

  licences
    .command("list")
    .description("List licences, of all organizations or of one")
    .argument("[org]", "organization, by id or exact name")
    .action(
      run(async ({ output, store: openStore, clock }, org) => {
        const store = await openStore();
        const names = new Map((await store.organizations.list()).map(({ id, name }) => [id, name]));
        const organizationId = await organizationIdOf(store, org);
        const licences = (await store.licences.list({ organizationId })).map((licence) =>
          licenceToWire(licence, clock()),
        );
        return {
          json: licences,
          text: output.table(
            ["ID", "ORGANIZATION", "FAMILY", "REDISTRIBUTION", "STATE", "STARTS", "EXPIRES"],
            licences.map((licence) => [
              licence.id,
              names.get(licence.organization_id),
              licence.base,
              licence.redistribution,
              stateText(licence),
              new Date(licence.starts),
              licence.expires === null ? "never" : new Date(licence.expires),
            ]),
            "No licences yet.",
          ),
        };
      }),
    );

  licences
    .command("renew")
    .description("Change the end of a licence")
    .argument("<licence>", "licence id")
    .requiredOption("--expires <time>", 'new end: a date, a duration from now like 365d, or "never"', timeOrNever)
    .action(
      run(async ({ output, operation: openOperation }, id, { expires }) => {
        const operation = await openOperation();
        return licenceResult(output, await renewLicence(operation, id, endOf(expires)), operation.now);
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

function licenceResult(output: Output, licence: Licence, now: Date): Result {
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
    }),
  };
}

function stateText({ state, starts }: OperatorLicence): string {
  return state === "upcoming" ? `begins on ${starts.replace(".000Z", "Z")}` : state;
}
