import type { Output } from "@dbdepot/terminal/command";
import { details, table } from "@dbdepot/terminal/table";
import type { Licence } from "../licences/licence.ts";
import { endLicence, grantLicence, renewLicence } from "../licences/licences.ts";
import { licenceToWire } from "../licences/wire.ts";
import { requireOrganization } from "../organizations/organizations.ts";
import { endOption, timeOption } from "./arguments.ts";
import { command } from "./command.ts";

export const licenceCommands = [
  command({
    words: "licences grant",
    summary: "Grant an organization a licence for a family.",
    arguments: ["ORG", "FAMILY"],
    options: {
      redistribution: { value: "KIND", required: true, help: "evaluation, internal or redistribute." },
      starts: { value: "TIME", help: "When it begins; left out: now." },
      expires: { value: "TIME", help: "When it ends; left out: never." },
    },
    async run(workplace, [organization, base], { redistribution, starts, expires }) {
      const operation = await workplace.operation();
      const begin = timeOption("starts", starts);
      const end = endOption("expires", expires);
      const licence = await grantLicence(operation, {
        organization,
        base,
        redistribution,
        ...(begin && { starts: begin }),
        ...(end && { expires: end }),
      });
      return shown(licence, operation.now);
    },
  }),
  command({
    words: "licences list",
    summary: "List the licences, all or one organization's.",
    arguments: ["[ORG]"],
    options: {},
    async run(workplace, [idOrName]) {
      const store = await workplace.store();
      const now = workplace.clock();
      const names = new Map((await store.organizations.list()).map(({ id, name }) => [id, name]));
      const filter = idOrName === undefined ? {} : { organizationId: (await requireOrganization(store, idOrName)).id };
      const licences = (await store.licences.list(filter)).map((licence) => licenceToWire(licence, now));
      return {
        json: licences,
        text: table(
          ["ID", "ORGANIZATION", "FAMILY", "REDISTRIBUTION", "STATE", "STARTS", "EXPIRES"],
          licences.map((licence) => [
            licence.id,
            names.get(licence.organization_id),
            licence.base,
            licence.redistribution,
            licence.state,
            new Date(licence.starts),
            licence.expires === null ? "never" : new Date(licence.expires),
          ]),
          "There are no licences yet.",
        ),
      };
    },
  }),
  command({
    words: "licences renew",
    summary: "Move a licence's end.",
    arguments: ["LICENCE"],
    options: { expires: { value: "TIME", required: true, help: 'The new end, or "never".' } },
    async run(workplace, [id], { expires }) {
      const operation = await workplace.operation();
      return shown(await renewLicence(operation, id, endOption("expires", expires) ?? null), operation.now);
    },
  }),
  command({
    words: "licences end",
    summary: "End a licence now.",
    arguments: ["LICENCE"],
    options: {},
    async run(workplace, [id]) {
      const operation = await workplace.operation();
      return shown(await endLicence(operation, id), operation.now);
    },
  }),
];

function shown(licence: Licence, now: Date): Output {
  const wire = licenceToWire(licence, now);
  return {
    json: wire,
    text: details({
      id: licence.id,
      family: licence.base,
      redistribution: licence.redistribution,
      state: wire.state,
      starts: licence.starts,
      expires: licence.expires ?? "never",
    }),
  };
}
