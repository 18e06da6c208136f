import type { Database } from "@dbdepot/contract/v2/catalogue";
import { StatusBadge } from "../../components/status-badge.tsx";
import { TERMS } from "../../components/terms.ts";
import { CalendarDate } from "../../components/time.tsx";

const SOON_MS = 30 * 86_400_000;

/** Open databases need no licence. */
export function isDownloadable({ standing, open, terms_to_accept: terms }: Database): boolean {
  return (standing === "licensed" && terms === null) || open;
}

export function StandingBadge({ database }: { database: Database }) {
  const { standing, redistribution, expires, open, terms_to_accept: terms } = database;
  if (open && standing !== "licensed") return <StatusBadge tone="good">Open</StatusBadge>;
  if (standing === "expired") return <StatusBadge tone="bad">Licence ended</StatusBadge>;
  if (standing === "unlicensed") return <StatusBadge tone="neutral">Not licensed</StatusBadge>;
  if (terms) return <StatusBadge tone="warning">Terms not accepted</StatusBadge>;
  if (expires && Date.parse(expires) - Date.now() < SOON_MS) return <StatusBadge tone="warning">Ends soon</StatusBadge>;
  return <StatusBadge tone="good">{redistribution === "evaluation" ? "Evaluation" : "Licensed"}</StatusBadge>;
}

/** "Internal use, until 31 Dec 2027" */
export function LicenceTerm({ database }: { database: Database }) {
  const { standing, redistribution, expires, renews_at, open } = database;
  if (open && standing !== "licensed") return <>No licence needed</>;
  if (standing === "unlicensed" || !redistribution) return <>Not licensed</>;
  const terms = TERMS[redistribution];
  if (renews_at && standing === "licensed") {
    return (
      <>
        {terms}, renews on <CalendarDate value={renews_at} />
      </>
    );
  }
  if (!expires) return <>{terms}, no end date</>;
  return (
    <>
      {terms}, {standing === "expired" ? "ended on" : "until"} <CalendarDate value={expires} />
    </>
  );
}
