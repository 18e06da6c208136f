import { LIMIT_MAX, type LimitName } from "@dbdepot/contract/v2/limits";
import { type Command, examples, InvalidArgumentError, note } from "@dbdepot/terminal/command";
import { formatTime } from "@dbdepot/terminal/format";
import { integer } from "@dbdepot/terminal/values";
import { requireOrganization } from "../domain/access/find-organization.ts";
import type { Limits } from "../domain/limits/limits.ts";
import { limitUses, readConsumption } from "../domain/limits/use.ts";
import { inUnit } from "../domain/limits/words.ts";
import { updateOrganization } from "../domain/organizations/organizations.ts";
import { parseSize } from "../platform/primitives/sizes.ts";
import type { Run } from "./context.ts";

/** Adds the command that shows and sets the limits of an organization. */
export function addLimitsCommand(organizations: Command, run: Run): void {
  organizations
    .command("limits")
    .description("Show or set the limits of an organization")
    .argument("<org>", "organization, by id or exact name")
    .option("--requests-per-minute <number>", "requests of all its keys, in each process, or none", countOrNone)
    .option("--downloads-per-day <number>", "granted downloads per day (UTC), or none", countOrNone)
    .option("--bytes-per-month <size>", "size of all granted files per month (UTC), like 500GB, or none", sizeOrNone)
    .option("--parallel-streams <number>", "files that the API sends at once, in each process, or none", countOrNone)
    .addHelpText("after", note("Limits that are not given keep their values. Changes take effect within a second."))
    .addHelpText(
      "after",
      examples(
        "dbdepot-server orgs limits Acme",
        "dbdepot-server orgs limits Acme --downloads-per-day 100 --bytes-per-month 500GB",
        "dbdepot-server orgs limits Acme --downloads-per-day none",
      ),
    )
    .action(
      run(async ({ output, operation: openOperation, store: openStore, clock }, org, options) => {
        const change = changeOf(options);
        const organization =
          Object.keys(change).length > 0
            ? await updateOrganization(await openOperation(), org, { limits: change })
            : await requireOrganization(await openStore(), org);
        const now = clock();
        const used = await readConsumption(await openStore(), organization.id, now);
        // Only the servers know how many streams are open.
        const limits = limitUses(organization.limits, used, undefined, now);
        return {
          json: limits,
          text: output.table(
            ["LIMIT", "ALLOWED", "USED", "RESETS"],
            limits.map(({ limit, allowed, used: amount, resets }) => [
              limit.replaceAll("_", " "),
              inUnit(limit, allowed),
              amount === null ? undefined : inUnit(limit, amount),
              resets === null ? undefined : formatTime(new Date(resets)),
            ]),
            `${organization.name} has no limits.`,
          ),
        };
      }),
    );
}

type Given = number | "none" | undefined;

interface Options {
  requestsPerMinute?: Given;
  downloadsPerDay?: Given;
  bytesPerMonth?: Given;
  parallelStreams?: Given;
}

function changeOf(options: Options): Partial<Limits> {
  const given: [LimitName, Given][] = [
    ["requests_per_minute", options.requestsPerMinute],
    ["downloads_per_day", options.downloadsPerDay],
    ["bytes_per_month", options.bytesPerMonth],
    ["parallel_streams", options.parallelStreams],
  ];
  const set = given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value === "none" ? null : value]]));
  return Object.fromEntries(set);
}

const count = integer(1, LIMIT_MAX);

/** Returns "none" as a string, because commander replaces null with "". */
function countOrNone(text: string): number | "none" {
  return text === "none" ? text : count(text);
}

function sizeOrNone(text: string): number | "none" {
  if (text === "none") return text;
  const bytes = parseSize(text);
  if (bytes && bytes <= LIMIT_MAX) return bytes;
  throw new InvalidArgumentError("Must be a size like 500GB or 1.5TB, at most 1PB, or none.");
}
