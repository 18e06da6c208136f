import { type Command, examples } from "@dbdepot/terminal/command";
import { addOrganization } from "../organizations/organizations.ts";
import { organizationToWire } from "../organizations/wire.ts";
import type { Run } from "./context.ts";

export function addOrganizationCommands(program: Command, run: Run): void {
  const organizations = program.command("orgs").description("Manage organizations");

  organizations
    .command("add")
    .description("Add an organization, which can then hold licences and keys")
    .argument("<name>", "name of the organization")
    .addHelpText("after", examples('dbdepot-server orgs add "Acme Inc."'))
    .action(
      run(async ({ output, operation }, name) => {
        const organization = await addOrganization(await operation(), name);
        return {
          json: organizationToWire(organization),
          text: output.details({ id: organization.id, name: organization.name }),
        };
      }),
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
            ["ID", "NAME", "CREATED"],
            organizations.map(({ id, name, created }) => [id, name, created]),
            "No organizations yet.",
          ),
        };
      }),
    );
}
