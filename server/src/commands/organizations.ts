import { details, table } from "@dbdepot/terminal/table";
import { addOrganization } from "../organizations/organizations.ts";
import { organizationToWire } from "../organizations/wire.ts";
import { command } from "./command.ts";

export const organizationCommands = [
  command({
    words: "orgs add",
    summary: "Add an organization, which can then hold licences and keys.",
    arguments: ["NAME"],
    options: {},
    async run(workplace, [name]) {
      const organization = await addOrganization(await workplace.operation(), name);
      return {
        json: organizationToWire(organization),
        text: details({ id: organization.id, name: organization.name }),
      };
    },
  }),
  command({
    words: "orgs list",
    summary: "List the organizations.",
    arguments: [],
    options: {},
    async run(workplace) {
      const organizations = await (await workplace.store()).organizations.list();
      return {
        json: organizations.map(organizationToWire),
        text: table(
          ["ID", "NAME", "CREATED"],
          organizations.map(({ id, name, created }) => [id, name, created]),
          "There are no organizations yet.",
        ),
      };
    },
  }),
];
