import { OUTCOME_FILTERS } from "@dbdepot/contract/v2/downloads";
import { type Command, examples, Option } from "@dbdepot/terminal/command";
import { integer } from "@dbdepot/terminal/values";
import type { Attempt } from "../domain/downloads/attempt.ts";
import { attemptFilter } from "../domain/downloads/filter.ts";
import { attemptToOperatorWire, withKeyNames } from "../domain/downloads/wire.ts";
import type { Store } from "../domain/store.ts";
import type { Run } from "./context.ts";
import { timeOrAge } from "./values.ts";

const LIMIT_MAX = 100_000;
const HEADINGS = [
  "TIME",
  "API",
  "DATABASE",
  "FORMAT",
  "SAMPLE",
  "PATCH",
  "OUTCOME",
  "STATUS",
  "CAUSE",
  "ORGANIZATION",
  "KEY",
  "FROM",
  "USER AGENT",
];

export function addHistoryCommand(program: Command, run: Run): void {
  program
    .command("history")
    .description("Show download attempts, newest first, including refused ones")
    .option("--org <org>", "only attempts of this organization (id or exact name)")
    .option("--key <key>", "only attempts with this key (id or prefix; a v1 key by its id)")
    .option("--request <id>", "only the request with this id, which customers see in errors and in X-Request-Id")
    .option("--database <id>", "only attempts to download this database, like vpn_ip_v1")
    .addOption(new Option("--outcome <outcome>", "only attempts with this outcome").choices(OUTCOME_FILTERS))
    .addOption(new Option("--api <version>", "only attempts on this API").choices(["v1", "v2", "tables"]))
    .option("--sample", "only attempts to download samples")
    .option("--since <time>", "only attempts at or after this time: a date, or an age like 7d", timeOrAge)
    .option("--until <time>", "only attempts before this time: a date, or an age like 1h", timeOrAge)
    .option("--limit <n>", "maximum number of attempts", integer(1, LIMIT_MAX), 50)
    .addHelpText("after", examples("dbdepot-server history --org Acme --outcome denied --since 7d"))
    .action(
      run(async ({ output, store: openStore }, { limit, ...query }) => {
        const store = await openStore();
        const attempts = await store.attempts.list({ ...(await attemptFilter(store, query)), limit });
        const names = await namesIn(store, attempts);
        return {
          json: (await withKeyNames(store, attempts)).map(attemptToOperatorWire),
          text: output.table(
            HEADINGS,
            attempts.map((attempt) => [
              attempt.created,
              attempt.api,
              attempt.datasetId,
              attempt.format,
              attempt.sample ? "yes" : undefined,
              attempt.patch ? "yes" : undefined,
              attempt.outcome,
              attempt.httpStatus,
              attempt.cause,
              attempt.organizationId && names.get(attempt.organizationId),
              attempt.keyId && (names.get(attempt.keyId) ?? attempt.keyId),
              attempt.clientIp,
              attempt.userAgent,
            ]),
            "No attempts found.",
          ),
        };
      }),
    );
}

/** The names of organizations and v1 keys, by id. */
async function namesIn(store: Store, attempts: readonly Attempt[]): Promise<Map<string, string>> {
  const isLegacy = attempts.some(({ api }) => api === "v1");
  const legacyKeys = isLegacy ? await store.legacyKeys.list() : [];
  return new Map([
    ...(await store.organizations.list()).map(({ id, name }) => [id, name] as const),
    ...legacyKeys.map(({ id, name }) => [id, `${id} "${name}"`] as const),
  ]);
}
