import type { Overview } from "@dbdepot/contract/console/overview";
import type { Readiness } from "@dbdepot/contract/shared/health";
import { Paper } from "@mantine/core";
import type { ReactNode } from "react";
import { plural } from "../../components/format.ts";
import { StatusBadge, type Tone } from "../../components/status-badge.tsx";
import classes from "./overview.module.css";

/** Seconds without a refresh after which a change made elsewhere has not reached this server. */
const STALE_SECONDS = 5;

interface HealthProps {
  health: Readiness;
  mail: Overview["mail"];
}

/** The state of the server that responded, and of what it depends on. */
export function Health({ health: { database, storage, history, register, spool }, mail }: HealthProps) {
  const isCurrent = register.age_seconds < STALE_SECONDS;
  const isRecorded = history.state === "ok" && spool.files === 0;
  const waiting = history.state === "ok" ? `${plural(spool.files, "group")} waiting` : "Cannot be written";
  const facts: [name: string, isGood: boolean, words: string][] = [
    ["Database", database.state === "ok", database.state === "ok" ? "Reachable" : "Unreachable"],
    ["Storage", storage.state === "ok", storage.state === "ok" ? "Reachable" : "Unreachable"],
    ["This replica", isCurrent, isCurrent ? "Up to date" : `${Math.round(register.age_seconds)} s behind`],
    ["History", isRecorded, isRecorded ? "Recorded" : waiting],
  ];
  return (
    <Paper component="section" className={classes.card ?? ""} aria-label="Health">
      <dl className={classes.health}>
        {facts.map(([name, isGood, words]) => (
          <Fact key={name} name={name}>
            <StatusBadge tone={isGood ? "good" : "bad"}>{words}</StatusBadge>
          </Fact>
        ))}
        <Fact name="E-mail">
          <StatusBadge {...mailState(mail)} />
        </Fact>
      </dl>
    </Paper>
  );
}

/** E-mails wait for a moment every day, so only those that failed deserve attention. */
function mailState({ enabled, waiting, failed, unknown }: Overview["mail"]): { tone: Tone; children: string } {
  if (!enabled) return { tone: "neutral", children: "Not set up" };
  if (failed + unknown > 0) return { tone: "warning", children: `${failed + unknown} not delivered` };
  return { tone: "good", children: waiting > 0 ? `${waiting} waiting` : "Nothing waiting" };
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
