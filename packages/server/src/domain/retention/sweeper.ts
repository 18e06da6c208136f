import type { RetentionKind, RetentionPreview } from "@dbdepot/contract/operator/retention";
import { BackgroundLoop } from "../../platform/primitives/background-loop.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { endedBefore } from "../access/session.ts";
import type { Store } from "../store.ts";
import { type Kept, retentionRules } from "./rules.ts";

const INTERVAL_MS = 60 * 60 * 1000;

export interface SweeperOptions extends Omit<Kept, "now"> {
  clock: Clock;
  onRemoved(kind: RetentionKind, count: number): void;
  onFailure(kind: RetentionKind | "sessions", error: unknown): void;
}

/** Applies all rules, now and every hour. Every replica runs it: what one has removed, the others don't find. */
export function startSweeper(options: SweeperOptions): BackgroundLoop {
  const { clock, onRemoved, onFailure, ...state } = options;
  const rules = retentionRules();
  const loop = new BackgroundLoop({ run: sweep, intervalMs: INTERVAL_MS });
  loop.startNow();
  return loop;

  /** A rule that fails does not keep the others from running. */
  async function sweep(): Promise<void> {
    const kept = { ...state, now: clock() };
    await removeEnded(kept.store, kept.now).catch((error) => onFailure("sessions", error));
    for (const { kind, isOn, apply } of rules) {
      if (loop.signal.aborted || !isOn(kept.policy)) continue;
      try {
        const count = await apply(kept, loop.signal);
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

/** What each rule would remove now. */
export async function previewRetention(kept: Omit<Kept, "objects">): Promise<RetentionPreview[]> {
  const previews: RetentionPreview[] = [];
  for (const { kind, settings, isOn, inWords, preview } of retentionRules()) {
    const on = isOn(kept.policy);
    const { count, bytes, oldest } = on ? await preview(kept) : { count: 0, bytes: 0, oldest: null };
    const rule = on ? inWords(kept.policy) : "Everything is kept.";
    previews.push({ kind, settings: [...settings], rule, on, count, bytes, oldest: oldest?.toISOString() ?? null });
  }
  return previews;
}
