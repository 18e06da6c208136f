import { command } from "./command.ts";

export const migrateCommands = [
  command({
    words: "migrate",
    summary: "Bring the database's schema up to date. Safe to run from several machines at once.",
    arguments: [],
    options: {},
    async run(workplace) {
      const applied = await (await workplace.rawStore()).migrate();
      return {
        json: { applied },
        text:
          applied.length === 0 ? "The schema is up to date.\n" : applied.map((name) => `applied ${name}\n`).join(""),
      };
    },
  }),
];
