import { type Command, examples } from "@dbdepot/terminal/command";
import { formatDay } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import { accountIdOf, type Organization } from "../domain/organizations/organization.ts";
import { addOrganization, updateOrganization } from "../domain/organizations/organizations.ts";
import { organizationToWire } from "../domain/organizations/wire.ts";
import { addArchiveCommands } from "./archiving.ts";
import type { Run } from "./context.ts";

export function addOrganizationCommands(program: Command, run: Run): void {
  const organizations = program.command("orgs").description("Manage organizations");

  organizations
    .command("add")
    .description("Add an organization")
    .argument("<name>", "name of the organization")
    .addHelpText("after", examples('dbdepot-server orgs add "Acme Inc."'))
    .action(
      run(async ({ output, operation }, name) => resultOf(output, await addOrganization(await operation(), name))),
    );

  organizations
    .command("list")
    .description("List the organizations")
    .action(
      run(async ({ output, store }) => {
        const organizations = await (await store()).organizations.list();
        return {
          json: organizations.map(organizationToWire),
          text: output.table(
            ["ID", "NAME", "ACCOUNT", "CREATED", "ARCHIVED"],
            organizations.map(({ id, name, created, archived }) => [
              id,
              name,
              String(accountIdOf(id)),
              formatDay(created),
              archived && formatDay(archived),
            ]),
            "No organizations yet.",
          ),
        };
      }),
    );

  organizations
    .command("rename")
    .description("Change the name of an organization")
    .argument("<org>", "organization, by id or exact name")
    .argument("<name>", "new name")
    .action(
      run(async ({ output, operation }, org, name) =>
        resultOf(output, await updateOrganization(await operation(), org, { name })),
      ),
    );

  addArchiveCommands(organizations, run, {
    argument: ["<org>", "organization, by id or exact name"],
    archive: "Refuse all keys of an organization",
    unarchive: "Accept the keys of an archived organization again",
    note: "Nothing is deleted: its keys and licences work again when it is unarchived.",
    update: updateOrganization,
    result: resultOf,
  });
}

function resultOf(output: Output, organization: Organization) {
  const { id, name, archived } = organization;
  return {
    json: organizationToWire(organization),
    text: output.details({ id, name, account: String(accountIdOf(id)), ...(archived && { archived }) }),
  };
}
