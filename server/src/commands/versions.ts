import { parseList } from "@dbdepot/terminal/arguments";
import { details, table } from "@dbdepot/terminal/table";
import { addVersion, requireFamily } from "../catalogue/catalogue.ts";
import { versionToWire } from "../catalogue/wire.ts";
import { command } from "./command.ts";

export const versionCommands = [
  command({
    words: "versions add",
    summary: "Add a version to its family, with the formats that it is built in.",
    arguments: ["ID"],
    options: {
      summary: { value: "TEXT", required: true, help: "One line on what this version contains." },
      formats: { value: "LIST", required: true, help: "csvgz, mmdb, or both by comma." },
    },
    async run(workplace, [id], { summary, formats }) {
      const version = await addVersion(await workplace.operation(), { id, summary, formats: parseList(formats) });
      return {
        json: versionToWire(version),
        text: details({ version: version.id, summary: version.summary, formats: version.formats }),
      };
    },
  }),
  command({
    words: "versions list",
    summary: "List the versions, all or one family's.",
    arguments: ["[FAMILY]"],
    options: {},
    async run(workplace, [base]) {
      const store = await workplace.store();
      if (base !== undefined) await requireFamily(store, base);
      const versions = await store.versions.list(base);
      return {
        json: versions.map(versionToWire),
        text: table(
          ["VERSION", "FORMATS", "CURRENT BUILD", "SUMMARY"],
          versions.map(({ id, formats, currentBuildId, summary }) => [id, formats, currentBuildId, summary]),
          "There are no versions yet.",
        ),
      };
    },
  }),
];
