import { DbdepotError } from "../../errors.ts";
import type { WantedDatabase } from "../config/databases.ts";
import type { CommandContext } from "../context.ts";
import { EXIT, exitCodeOfAll } from "../exit-codes.ts";
import { inOneLine } from "../explanation.ts";
import type { Round } from "./context.ts";
import { syncDatabase } from "./database.ts";
import { type HookOutcome, runHook } from "./hook.ts";
import type { Outcome } from "./outcome.ts";
import { addSeenByHook } from "./status.ts";

export interface RoundResult {
  started: string;
  ended: string;
  isDryRun: boolean;
  outcomes: Outcome[];
  hook: HookOutcome | null;
  exitCode: number;
  /** How long to wait before trying again; undefined if nothing failed or waiting does not help. */
  retryAfterMs: number | undefined;
}

/** The delay after a temporary failure without Retry-After. */
const RETRY_MS = 60_000;

/** Updates all databases independently, then runs the hook if anything has changed. */
export async function runRound(
  round: Round,
  select: () => Promise<readonly WantedDatabase[]>,
  context: Pick<CommandContext, "env" | "output">,
): Promise<RoundResult> {
  const started = new Date().toISOString();
  const outcomes = await syncAll(round, select);
  const hook = await runPendingHook(round, context);
  const errors = outcomes.flatMap((outcome) => (outcome.result === "failed" ? [outcome.error] : []));
  const exitCode = exitCodeOfAll(errors) || (hook && !hook.ok ? EXIT.failed : EXIT.ok);
  const waits = errors.flatMap((error) => retryWaitMs(error) ?? []);
  const retryAfterMs = waits.length > 0 ? Math.max(...waits) : undefined;
  return { started, ended: new Date().toISOString(), isDryRun: round.isDryRun, outcomes, hook, exitCode, retryAfterMs };
}

/** If the catalogue cannot be read, the round fails, but --watch continues with the next one. */
async function syncAll(round: Round, select: () => Promise<readonly WantedDatabase[]>): Promise<Outcome[]> {
  try {
    const databases = await select();
    return (await Promise.all(databases.map((wanted) => syncDatabase(round, wanted)))).flat();
  } catch (error) {
    const kind = error instanceof DbdepotError ? error.kind : "server";
    const message = inOneLine(error);
    return [{ database: "catalogue", file: null, format: null, result: "failed", error, kind, message }];
  }
}

/** Runs the hook for all changed files, including those from earlier rounds whose hook failed or did not run. */
async function runPendingHook(
  { statusFile, settings, signal, isDryRun, log }: Round,
  context: Pick<CommandContext, "env" | "output">,
): Promise<HookOutcome | null> {
  if (settings.hook === undefined || signal.aborted || isDryRun) return null;
  const status = await statusFile.read();
  if (status.hook_pending.length === 0) return null;
  log(`running the hook for ${status.hook_pending.join(", ")}`);
  const outcome = await runHook(settings.hook, status, settings, { ...context, signal });
  if (outcome.ok) {
    const digests = outcome.files.flatMap((file) => (status.files[file] ? [[file, status.files[file].sha256]] : []));
    await addSeenByHook(settings, Object.fromEntries(digests));
    await statusFile.update((now) => {
      now.hook_pending = now.hook_pending.filter((file) => !outcome.files.includes(file));
    });
  }
  return outcome;
}

/** How long to wait before trying again after an error; undefined if waiting does not help. */
export function retryWaitMs(error: unknown): number | undefined {
  const { retryable, retryAfterMs } = error as { retryable?: boolean; retryAfterMs?: number | null };
  return retryable ? (retryAfterMs ?? RETRY_MS) : undefined;
}
