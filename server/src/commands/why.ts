import { FORMATS } from "@dbdepot/contract/formats";
import { choiceOption } from "@dbdepot/terminal/arguments";
import { details } from "@dbdepot/terminal/table";
import { explain } from "../downloads/why.ts";
import { command } from "./command.ts";

export const whyCommands = [
  command({
    words: "why",
    summary: "Tell what an organization's download would answer now, and why.",
    arguments: ["ORG", "ID"],
    options: {
      format: { value: "FORMAT", help: "csvgz or mmdb; left out: any." },
      key: { value: "KEY", help: "With this key (its id or prefix)." },
    },
    async run(workplace, [organization, databaseId], { format, key }) {
      const explanation = await explain(await workplace.store(), {
        organization,
        databaseId,
        format: choiceOption("format", format, FORMATS),
        key,
        now: workplace.clock(),
      });
      const { granted, status, rc, reason, facts } = explanation;
      const answer = granted ? `${status}, a link to the file` : `${status} ${rc}: ${reason}`;
      return {
        json: explanation,
        text: details({ answer, ...Object.fromEntries(facts.map(({ name, finding }) => [name, finding])) }),
      };
    },
  }),
];
