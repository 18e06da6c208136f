import { table } from "@dbdepot/terminal/table";
import { command } from "./workplace.ts";

const STANDING_COLUMN = 1;

export const listCommands = [
  command({
    words: "list",
    summary: "List the catalogue: every database, and how you stand with it.",
    arguments: [],
    options: { licensed: { help: "Only what you may download." } },
    async run(workplace, _, { licensed }) {
      const all = await workplace.client().list({ signal: workplace.signals.stop });
      const families = licensed ? all.filter(({ standing }) => standing === "licensed") : all;
      const { colours, outColumns } = workplace;
      const paints: Record<string, (text: string) => string> = {
        licensed: colours.good,
        expired: colours.bad,
        unlicensed: colours.aside,
      };
      return {
        json: families,
        text: table(
          ["ID", "STANDING", "UNTIL", "FORMATS", "SUMMARY"],
          families.flatMap(({ standing, expires, versions }) =>
            versions.map(({ id, formats, summary }) => [id, standing, expires?.slice(0, 10), formats, summary]),
          ),
          licensed ? "You hold no licence." : "The catalogue is empty.",
          {
            columns: outColumns,
            paint: (text, column) => (column === STANDING_COLUMN ? (paints[text]?.(text) ?? text) : text),
          },
        ),
      };
    },
  }),
  command({
    words: "completion-ids",
    summary: "Print the ids of the catalogue, for completion.",
    arguments: [],
    options: {},
    isHidden: true,
    async run(workplace) {
      // Somebody has pressed the tabulator: no answer is better than a message in the middle of the line.
      const ids = await workplace
        .client()
        .list({ signal: AbortSignal.timeout(2000) })
        .then((families) => families.flatMap(({ versions }) => versions.map(({ id }) => id)))
        .catch(() => []);
      return { json: ids, text: ids.map((id) => `${id}\n`).join("") };
    },
  }),
];
