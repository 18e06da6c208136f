import { OUTCOMES } from "@dbdepot/contract/downloads";
import { choiceOption, integerOption } from "@dbdepot/terminal/arguments";
import { table } from "@dbdepot/terminal/table";
import type { Attempt } from "../downloads/attempt.ts";
import type { AttemptFilter } from "../downloads/store.ts";
import { attemptToOperatorWire } from "../downloads/wire.ts";
import { requireKey } from "../keys/keys.ts";
import { requireOrganization } from "../organizations/organizations.ts";
import type { Store } from "../store.ts";
import { timeOption } from "./arguments.ts";
import { command } from "./command.ts";

const LIMIT_MAX = 100_000;

export const historyCommands = [
  command({
    words: "history",
    summary: "Show download attempts, newest first, refusals included.",
    arguments: [],
    options: {
      org: { value: "ORG", help: "Of this organization only." },
      key: { value: "KEY", help: "With this key only (its id or prefix; for a v1 key its id)." },
      outcome: { value: "OUTCOME", help: `One of ${OUTCOMES.join(", ")}.` },
      api: { value: "API", help: "v1 or v2." },
      since: { value: "TIME", help: "Not older than this." },
      limit: { value: "N", help: `At most so many, up to ${LIMIT_MAX}; left out: 50.` },
    },
    async run(workplace, _, { org, key, outcome: outcomeText, api: apiText, since: sinceText, limit = "50" }) {
      const filter: AttemptFilter = { limit: integerOption("limit", limit, 1, LIMIT_MAX) };
      const outcome = choiceOption("outcome", outcomeText, OUTCOMES);
      if (outcome) filter.outcome = outcome;
      const api = choiceOption("api", apiText, ["v1", "v2"]);
      if (api) filter.api = api;
      const since = timeOption("since", sinceText);
      if (since) filter.since = since;
      const store = await workplace.store();
      if (org !== undefined) filter.organizationId = (await requireOrganization(store, org)).id;
      if (key !== undefined) {
        const legacy = await store.legacyKeys.byId(key.toLowerCase());
        filter.keyId = legacy?.id ?? (await requireKey(store, key)).id;
      }
      const attempts = await store.attempts.list(filter);
      const names = await namesIn(store, attempts);
      return {
        json: attempts.map(attemptToOperatorWire),
        text: table(
          [
            "TIME",
            "API",
            "DATABASE",
            "FORMAT",
            "OUTCOME",
            "STATUS",
            "CAUSE",
            "ORGANIZATION",
            "KEY",
            "FROM",
            "USER AGENT",
          ],
          attempts.map((attempt) => [
            attempt.created,
            attempt.api,
            attempt.datasetId,
            attempt.format,
            attempt.outcome,
            attempt.httpStatus,
            attempt.cause,
            attempt.organizationId && names.get(attempt.organizationId),
            attempt.keyId && (names.get(attempt.keyId) ?? attempt.keyId),
            attempt.clientIp,
            attempt.userAgent,
          ]),
          "There are no such attempts.",
        ),
      };
    },
  }),
];

/** Of organizations, and of v1 keys: whoever wants to retire v1 has to talk to people, not to ids. */
async function namesIn(store: Store, attempts: readonly Attempt[]): Promise<Map<string, string>> {
  const isLegacy = attempts.some(({ api }) => api === "v1");
  const legacyKeys = isLegacy ? await store.legacyKeys.list() : [];
  return new Map([
    ...(await store.organizations.list()).map(({ id, name }) => [id, name] as const),
    ...legacyKeys.map(({ id, name }) => [id, `${id} "${name}"`] as const),
  ]);
}
