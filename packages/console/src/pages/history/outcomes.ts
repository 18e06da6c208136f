import type { Download, Outcome, OutcomeFilter } from "@dbdepot/contract/v2/downloads";
import type { Tone } from "../../components/status-badge.tsx";

interface Explanation {
  label: string;
  tone: Tone;
  /** Says what happened, in plain words. */
  meaning: string;
  /** Says what to do about it. */
  advice: string;
}

const EXPLANATIONS: Record<Outcome, Explanation> = {
  ok: {
    label: "Granted",
    tone: "good",
    meaning: "The request got a link to the file.",
    advice: "Nothing to do. The size is the file's; the transfer itself is not recorded.",
  },
  unauthorized: {
    label: "Key refused",
    tone: "bad",
    meaning: "The key was expired, revoked, used from a network it doesn't allow, or lacked the scope to download.",
    advice: "Check the key's status, networks and scopes on the API keys page.",
  },
  denied: {
    label: "Not licensed",
    tone: "bad",
    meaning: "Your organization has no licence for this database, or has not accepted the terms of its licence.",
    advice:
      "Accept the terms if the database's page asks for it. Otherwise ask your vendor for a licence, or remove the database from the job that requests it.",
  },
  expired: {
    label: "Licence ended",
    tone: "bad",
    meaning: "Your organization's licence for this database has ended.",
    advice: "Ask your vendor to renew it. Downloads work again immediately.",
  },
  unknown: {
    label: "Unknown database",
    tone: "warning",
    meaning: "No database has this id.",
    advice: "Check the spelling. Ids end with a version, such as vpn_ip_v1.",
  },
  unavailable: {
    label: "Not available",
    tone: "warning",
    meaning: "No build was published yet when this was requested, or the service was interrupted.",
    advice: "Try again later. The client retries automatically.",
  },
};

const WRONG_FORMAT: Explanation = {
  label: "Wrong format",
  tone: "warning",
  meaning: "The format is missing or unknown, or this database is not built in it.",
  advice: "Use one of the formats on the database's page: csvgz or mmdb.",
};

const LIMIT_REACHED: Explanation = {
  label: "Limit reached",
  tone: "warning",
  meaning:
    "Your organization had used its daily downloads or its monthly transfer, or was receiving too many files at the same time.",
  advice: "See your limits on the history page. They reset at midnight UTC, or on the first day of the month.",
};

export const OUTCOME_NAMES: Record<OutcomeFilter, string> = {
  ok: EXPLANATIONS.ok.label,
  refused: "All refused",
  unauthorized: EXPLANATIONS.unauthorized.label,
  denied: EXPLANATIONS.denied.label,
  expired: EXPLANATIONS.expired.label,
  unknown: EXPLANATIONS.unknown.label,
  unavailable: "Not available, wrong format or limit reached",
};

export const OUTCOME_OPTIONS = Object.entries(OUTCOME_NAMES).map(([value, label]) => ({ value, label }));

/** Explanations for causes that are more specific than the outcome. */
const CAUSES: Record<string, Pick<Explanation, "meaning" | "advice">> = {
  revoked: { meaning: "The key had been revoked.", advice: "Put another key into the program." },
  expired: {
    meaning: "The key had expired.",
    advice: "Give the key a later last day, or put another one into the program.",
  },
  rotated_out: {
    meaning: "The key had been rotated, and this old secret no longer worked.",
    advice: "Put the new secret into the program, or rotate the key again.",
  },
  outside_cidrs: {
    meaning: "The request came from an address outside the networks that the key allows.",
    advice: "Add the network to the key, if the address is yours.",
  },
  lacks_scope: { meaning: "The key may not download.", advice: "Let the key download, or use another one." },
  wrong_account: {
    meaning: "The AccountID was not that of the key's organization.",
    advice: "Correct AccountID in the configuration of geoipupdate.",
  },
  not_licensed: {
    meaning: "Your organization has no licence for this database.",
    advice: "Ask your vendor for a licence, or remove the database from the job that requests it.",
  },
  terms_not_accepted: {
    meaning: "Your organization has not accepted the terms of its licence.",
    advice: "An admin reads and accepts them. Downloads work again immediately.",
  },
  unknown_build: {
    meaning: "The build that was asked for does not exist, or is no longer kept.",
    advice: "Ask for the current build, without the parameter build.",
  },
  build_gone: {
    meaning: "The version of the table, or its changes, are no longer kept.",
    advice: "Load the whole table, and start from its current version.",
  },
  no_format: { meaning: "The format is missing or unknown.", advice: WRONG_FORMAT.advice },
  not_built: { meaning: "This database is not built in that format.", advice: WRONG_FORMAT.advice },
  no_sample: { meaning: "There is no sample in that format.", advice: WRONG_FORMAT.advice },
  not_published: { meaning: "No build was published yet.", advice: EXPLANATIONS.unavailable.advice },
};

export function explain(attempt: Pick<Download, "outcome" | "http_status"> & { cause?: string | null }): Explanation {
  const general = explainOutcome(attempt);
  return attempt.outcome === "ok" ? general : { ...general, ...CAUSES[attempt.cause ?? ""] };
}

function explainOutcome({ outcome, http_status }: Pick<Download, "outcome" | "http_status">): Explanation {
  if (outcome !== "unavailable") return EXPLANATIONS[outcome];
  return http_status === 400 ? WRONG_FORMAT : http_status === 429 ? LIMIT_REACHED : EXPLANATIONS.unavailable;
}
