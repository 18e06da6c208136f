import type { RetentionKind, RetentionPreview } from "@dbdepot/contract/operator/retention";
import { BackgroundLoop } from "../../platform/primitives/background-loop.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { HOUR_MS } from "../../platform/primitives/dates.ts";
import { endedBefore } from "../access/session.ts";
import type { Store } from "../store.ts";
import { type RetentionContext, retentionRules } from "./rules.ts";

const INTERVAL_MS = HOUR_MS;

export interface RetentionOptions extends Omit<RetentionContext, "now"> {
  clock: Clock;
  onRemoved(kind: RetentionKind, count: number): void;
  onFailure(kind: RetentionKind | "sessions", error: unknown): void;
}

/** Applies all rules, now and every hour. Every replica runs it: what one has removed, the others don't find. */
export function startRetention(options: RetentionOptions): BackgroundLoop {
  const { clock, onRemoved, onFailure, ...state } = options;
  const rules = retentionRules();
  const loop = new BackgroundLoop({ run: applyRules, intervalMs: INTERVAL_MS });
  loop.startNow();
  return loop;

  /** A rule that fails does not keep the others from running. */
  async function applyRules(): Promise<void> {
    const context = { ...state, now: clock() };
    await removeEnded(context.store, context.now).catch((error) => onFailure("sessions", error));
    for (const { kind, isOn, apply } of rules) {
      if (loop.signal.aborted || !isOn(context.policy)) continue;
      try {
        const count = await apply(context, loop.signal);
        if (count > 0) onRemoved(kind, count);
      } catch (error) {
        onFailure(kind, error);
      }
    }
  }
}

/** Sessions and links that no longer work are useless, so no setting keeps them. */
async function removeEnded({ sessions, links, twoFactor }: Store, now: Date): Promise<void> {
  await sessions.removeEnded(endedBefore(now));
  await links.removeExpired(now);
  await twoFactor.removeExpiredChallenges(now);
}

/** Returns what each rule would remove now. */
export async function previewRetention(context: Omit<RetentionContext, "objects">): Promise<RetentionPreview[]> {
  const previews: RetentionPreview[] = [];
  for (const { kind, settings, isOn, inWords, preview } of retentionRules()) {
    const on = isOn(context.policy);
    const { count, bytes, oldest } = on ? await preview(context) : { count: 0, bytes: 0, oldest: null };
    const rule = on ? inWords(context.policy) : "Everything is kept.";
    previews.push({ kind, settings: [...settings], rule, on, count, bytes, oldest: oldest?.toISOString() ?? null });
  }
  return previews;
}
