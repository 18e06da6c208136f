import type { Redistribution } from "@dbdepot/contract/v2/catalogue";
import { Anchor, Paper, Text, Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./licence-timeline.module.css";
import { StatusBadge } from "./status-badge.tsx";
import { TERMS } from "./terms.ts";
import { CalendarDate } from "./time.tsx";
import { type TimeAxis, timeAxis } from "./time-axis.ts";

const SOON_MS = 60 * 86_400_000;

export interface TimelineLicence {
  id: string;
  /** Display name of the family. */
  name: string;
  redistribution: Redistribution;
  state: "live" | "upcoming" | "ended";
  starts: string;
  expires: string | null;
  renews_at: string | null;
  notice_due_at: string | null;
  terms: string | null;
}

interface LicenceTimelineProps<L extends TimelineLicence> {
  licences: L[];
  /** The title of terms by their id, as far as it is known. */
  termsTitle?: (id: string) => string | undefined;
  actionsOf?: (licence: L) => ReactNode;
}

/** Shows licences as bars on one time axis, the live ones first. */
export function LicenceTimeline<L extends TimelineLicence>({
  licences,
  termsTitle,
  actionsOf,
}: LicenceTimelineProps<L>) {
  const now = Date.now();
  const axis = timeAxis(licences.flatMap(timesOf), now);
  return (
    <Paper className={classes.card ?? ""} data-actions={actionsOf !== undefined}>
      <div className={classes.head} aria-hidden="true">
        <div className={classes.axis}>
          {axis.ticks.map(({ position, label }) => (
            <span key={position} className={classes.tick} style={{ left: `${position}%` }}>
              {label}
            </span>
          ))}
        </div>
      </div>
      <ul className={classes.rows} aria-label="Licences">
        {licences.toSorted(byRelevance).map((licence) => (
          <li key={licence.id} className={classes.row}>
            <div className={classes.what}>
              <Text fw={500} truncate title={licence.name}>
                {licence.name}
              </Text>
              <Text size="sm" c="dimmed">
                {TERMS[licence.redistribution]} · <Term licence={licence} />
              </Text>
              <ContractDates licence={licence} />
              {licence.terms && (
                <Text size="sm" c="dimmed">
                  Requires{" "}
                  <Anchor
                    inherit
                    underline="always"
                    renderRoot={(props) => <Link to="/terms/$id" params={{ id: licence.terms ?? "" }} {...props} />}
                  >
                    {termsTitle?.(licence.terms) ?? licence.terms}
                  </Anchor>
                </Text>
              )}
            </div>
            <Track licence={licence} axis={axis} now={now} />
            <div className={classes.state}>
              <LicenceState licence={licence} />
            </div>
            {actionsOf && <div className={classes.actions}>{actionsOf(licence)}</div>}
          </li>
        ))}
      </ul>
    </Paper>
  );
}

/** Hidden from screen readers, because the text next to it says the same. */
function Track({ licence, axis, now }: { licence: TimelineLicence; axis: TimeAxis; now: number }) {
  const { starts, expires, renews_at, state } = licence;
  const left = axis.positionOf(Date.parse(starts));
  const right = expires ? axis.positionOf(Date.parse(expires)) : 100;
  return (
    <div className={classes.track} aria-hidden="true">
      {axis.ticks.map(({ position }) => (
        <i key={position} className={classes.line} style={{ left: `${position}%` }} />
      ))}
      <i className={classes.today} style={{ left: `${axis.positionOf(now)}%` }} />
      <div
        className={classes.bar}
        data-state={state}
        data-endless={expires === null}
        style={{ left: `${left}%`, width: `${right - left}%` }}
      />
      {renews_at && state !== "ended" && (
        <Tooltip label="The contract renews">
          <i className={classes.renewal} style={{ left: `${axis.positionOf(Date.parse(renews_at))}%` }} />
        </Tooltip>
      )}
    </div>
  );
}

function LicenceState({ licence: { state, expires } }: { licence: TimelineLicence }) {
  if (state === "ended") return <StatusBadge tone="neutral">Ended</StatusBadge>;
  if (state === "upcoming") return <StatusBadge tone="neutral">Upcoming</StatusBadge>;
  if (expires && Date.parse(expires) - Date.now() < SOON_MS) return <StatusBadge tone="warning">Ends soon</StatusBadge>;
  return <StatusBadge tone="good">Live</StatusBadge>;
}

function Term({ licence: { starts, expires } }: { licence: TimelineLicence }) {
  return (
    <>
      <CalendarDate value={starts} /> – {expires ? <CalendarDate value={expires} /> : "no\u00A0end"}
    </>
  );
}

function ContractDates({ licence: { renews_at, notice_due_at, state } }: { licence: TimelineLicence }) {
  if (!renews_at || state === "ended") return null;
  return (
    <Text size="sm" c="dimmed">
      Renews <CalendarDate value={renews_at} />
      {notice_due_at && (
        <>
          , notice by <CalendarDate value={notice_due_at} />
        </>
      )}
    </Text>
  );
}

function timesOf({ starts, expires, renews_at }: TimelineLicence): number[] {
  return [starts, expires, renews_at].flatMap((time) => (time ? [Date.parse(time)] : []));
}

const RELEVANCE = { live: 0, upcoming: 1, ended: 2 };

function byRelevance(one: TimelineLicence, other: TimelineLicence): number {
  return (
    RELEVANCE[one.state] - RELEVANCE[other.state] ||
    one.name.localeCompare(other.name) ||
    Date.parse(other.starts) - Date.parse(one.starts)
  );
}
