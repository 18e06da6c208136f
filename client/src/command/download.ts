import { stat } from "node:fs/promises";
import { join } from "node:path";
import { inBytes } from "@dbdepot/terminal/amounts";
import { choiceOption, OptionFault } from "@dbdepot/terminal/arguments";
import { ProgressBoard } from "@dbdepot/terminal/progress-board";
import { details } from "@dbdepot/terminal/table";
import type { DbdepotClient } from "../client.ts";
import type { Format } from "../wire.ts";
import { settingOptions } from "./config/options.ts";
import { FORMATS, fileNameOf, preferredFormat } from "./formats.ts";
import { command } from "./workplace.ts";

const STDOUT = "-";

export const downloadCommands = [
  command({
    words: "download",
    summary: "Fetch one file, verify it, and put it in place.",
    arguments: ["ID"],
    options: {
      format: { value: "FORMAT", help: "mmdb or csvgz; left out: mmdb where there is one, else csvgz." },
      to: { value: "PATH", help: 'The file or folder that it goes to, or "-" for standard output; left out: here.' },
      build: { value: "BUILD", help: "The build to fetch, by its id; left out: the current one." },
      ...settingOptions("delivery"),
    },
    notes: [
      "A file has its name only when all of it has arrived and been verified; until then the old one stays. What broke off is taken up by the next run.",
      'What has gone to standard output cannot be taken back: it is verified as it passes, and it is good only if the exit code is 0. Write "set -o pipefail" before you put it in a pipe.',
    ],
    async run(workplace, [id], { format: formatText, to, build, delivery }) {
      const asked = choiceOption("format", formatText, FORMATS);
      if (to === STDOUT && workplace.isJson) throw new OptionFault("--to - and --json both want standard output");
      const settings = workplace.settings({ delivery });
      const client = workplace.client(settings);
      const { stop: signal } = workplace.signals;
      const format = asked ?? (await knownFormat(client, id, build));
      const path = to === STDOUT ? undefined : await targetPath(to, fileNameOf(id, format));
      const task = new ProgressBoard({ say: workplace.say, columns: workplace.errColumns }).begin(
        fileNameOf(id, format),
      );
      const fetched = await client
        .download(id, format, {
          to: path ?? process.stdout,
          build,
          delivery: settings.delivery,
          signal,
          onProgress: (p) => task.reach(p.receivedBytes, p.totalBytes ?? undefined, p.resumedFromBytes),
        })
        .finally(() => task.end());
      const { sizeBytes, sha256, buildId } = fetched;
      const size = `${sizeBytes} bytes${sizeBytes < 1024 ? "" : ` (${inBytes(sizeBytes)})`}`;
      const facts = { file: path ?? "standard output", size, sha256, build: buildId };
      if (path === undefined) {
        workplace.say(details(facts, { columns: workplace.errColumns() }));
        return undefined;
      }
      return {
        json: {
          id,
          format,
          path,
          size_bytes: sizeBytes,
          sha256,
          build_id: buildId,
          resumed_from_bytes: fetched.resumedFromBytes,
        },
        text: details(facts, { columns: workplace.outColumns }),
      };
    },
  }),
];

async function knownFormat(client: DbdepotClient, id: string, build: string | undefined): Promise<Format> {
  const answer = await client.metadata(id, { build });
  return answer.changed ? preferredFormat(answer.metadata) : FORMATS[0];
}

async function targetPath(to: string | undefined, name: string): Promise<string> {
  if (to === undefined) return name;
  const isFolder =
    to.endsWith("/") ||
    (await stat(to).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  return isFolder ? join(to, name) : to;
}
