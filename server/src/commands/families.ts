import { details, table } from "@dbdepot/terminal/table";
import { addFamily } from "../catalogue/catalogue.ts";
import { familyToWire } from "../catalogue/wire.ts";
import { command } from "./command.ts";

export const familyCommands = [
  command({
    words: "families add",
    summary: "Add a database family: what a licence is held against.",
    arguments: ["FAMILY"],
    options: {
      name: { value: "NAME", required: true, help: 'The name to display, like "VPN IP".' },
      private: { help: "Show it only to organizations that hold, or held, a licence for it." },
    },
    async run(workplace, [base], { name, private: isPrivate }) {
      const visibility = isPrivate ? "private" : "public";
      const family = await addFamily(await workplace.operation(), { base, name, visibility });
      return { json: familyToWire(family), text: details({ family: family.base, name: family.name, visibility }) };
    },
  }),
  command({
    words: "families list",
    summary: "List the database families.",
    arguments: [],
    options: {},
    async run(workplace) {
      const families = await (await workplace.store()).families.list();
      return {
        json: families.map(familyToWire),
        text: table(
          ["FAMILY", "NAME", "VISIBILITY", "CREATED"],
          families.map(({ base, name, visibility, created }) => [base, name, visibility, created]),
          "There are no families yet.",
        ),
      };
    },
  }),
];
