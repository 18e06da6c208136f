import { ORGANIZATION_SORTS } from "@dbdepot/contract/operator/organizations";
import { type Command, examples, UsageError } from "@dbdepot/terminal/command";
import type { Output } from "@dbdepot/terminal/output";
import { accountIdOf } from "../domain/access/account-id.ts";
import type { Organization } from "../domain/organizations/organization.ts";
import { addOrganization, updateOrganization } from "../domain/organizations/organizations.ts";
import { listedOrganizations, organizationToWire } from "../domain/organizations/wire.ts";
import { addArchiveCommands } from "./archiving.ts";
import type { Run } from "./context.ts";
import { SEARCH_OPTION, sortOption } from "./lists.ts";
import { addLimitsCommand } from "./organization-limits.ts";

export function addOrganizationCommands(program: Command, run: Run): void {
  const organizations = program.command("orgs").description("Manage organizations");

  organizations
    .command("add")
    .description("Add an organization")
    .argument("<name>", "name of the organization")
    .option("--external-id <id>", "its id in your other systems")
    .addHelpText("after", examples('dbdepot-server orgs add "Acme Inc." --external-id A-17'))
    .action(
      run(async ({ output, operation }, name, { externalId }) =>
        resultOf(output, await addOrganization(await operation(), name, externalId)),
      ),
    );

  organizations
    .command("list")
    .description("List the organizations")
    .option(...SEARCH_OPTION)
    .addOption(sortOption(ORGANIZATION_SORTS))
    .addHelpText("after", examples("dbdepot-server orgs list --sort next_end"))
    .action(
      run(async ({ output, store, clock }, request) => {
        const { organizations } = await store();
        const now = clock();
        const { items } = await organizations.page({}, request, now);
        const listed = await listedOrganizations(organizations, items, now);
        return {
          json: listed,
          text: output.table(
            [
              "ID",
              "NAME",
              "EXTERNAL ID",
              "ACCOUNT",
              "CREATED",
              "ARCHIVED",
              "LICENCES",
              "KEYS",
              "LAST DOWNLOAD",
              "NEXT END",
            ],
            listed.map((organization) => [
              organization.id,
              organization.name,
              organization.external_id,
              String(organization.account_id),
              organization.created.slice(0, 10),
              organization.archived?.slice(0, 10),
              String(organization.licences),
              String(organization.keys),
              organization.last_download?.slice(0, 10) ?? "never",
              organization.next_end?.slice(0, 10),
            ]),
            request.search ? "No organization matches." : "No organizations yet.",
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

  organizations
    .command("edit")
    .description("Change the name, the external id or the region of an organization")
    .argument("<org>", "organization, by id or exact name")
    .option("--name <name>", "new name")
    .option("--external-id <id>", 'its id in your other systems, or "" for none')
    .option("--link-region <region>", 'region of DBDEPOT_LINK_ORIGINS that it downloads from, or "" for none')
    .addHelpText("after", examples('dbdepot-server orgs edit "Acme Inc." --external-id A-17'))
    .action(
      run(async ({ output, operation }, org, { name, externalId, linkRegion }) => {
        if (name === undefined && externalId === undefined && linkRegion === undefined) {
          throw new UsageError("give --name, --external-id or --link-region");
        }
        const change = { name, externalId: orNull(externalId), linkRegion: orNull(linkRegion) };
        return resultOf(output, await updateOrganization(await operation(), org, change));
      }),
    );

  addLimitsCommand(organizations, run);

  addArchiveCommands(organizations, run, {
    argument: ["<org>", "organization, by id or exact name"],
    archive: "Refuse all keys of an organization",
    unarchive: "Accept the keys of an archived organization again",
    note: "Nothing is deleted: its keys and licences work again when it is unarchived.",
    update: updateOrganization,
    result: resultOf,
  });
}

/** An empty text removes the value. */
function orNull(text: string | undefined): string | null | undefined {
  return text === "" ? null : text;
}

function resultOf(output: Output, organization: Organization) {
  const { id, name, archived, externalId, linkRegion } = organization;
  return {
    json: organizationToWire(organization),
    text: output.details({
      id,
      name,
      ...(externalId !== null && { "external id": externalId }),
      account: String(accountIdOf(id)),
      ...(linkRegion !== null && { "link region": linkRegion }),
      ...(archived && { archived }),
    }),
  };
}
