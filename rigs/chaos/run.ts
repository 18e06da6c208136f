import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "../harness/random.ts";
import { Api } from "./api.ts";
import { type Database, type Engine, openDatabase } from "./database.ts";
import { findHalfDone } from "./half-done.ts";
import { createOperatorKey, install } from "./installation.ts";
import { Ledger } from "./ledger.ts";
import { Load } from "./load.ts";
import { Target } from "./target.ts";
import { findLost } from "./verify.ts";

/** The load runs for this long before a kill. */
const LOAD_MS = { minimum: 20, maximum: 2000 };
const DATABASE_CRASH_LOAD_MS = 500;

export interface Terms {
  engine: Engine;
  processes: number;
  kills: number;
  seed: number;
  /** Crash PostgreSQL instead of the service. */
  crashDatabase: boolean;
}

export interface Report {
  terms: Terms;
  ledger: Ledger;
  lost: string[];
  halfDone: string[];
  readyMs: number[];
  /** How long a process that was ready had not yet applied a change made by another one. */
  behindMs: number[];
}

/** Kills the service repeatedly under load and checks the stored data each time. */
export async function run(terms: Terms, onProgress: (line: string) => void): Promise<Report> {
  const dataDir = await mkdtemp(join(tmpdir(), "dbdepot-chaos-"));
  await using database = await openDatabase(terms.engine, dataDir);
  const operatorKey = await createOperatorKey({ dataDir, ...(database.url && { databaseUrl: database.url }) });
  await using target = await Target.create({ dataDir, databaseUrl: database.url, processes: terms.processes });
  await target.start();
  const operator = new Api(target.origin, operatorKey);
  const installation = await install(operator, operatorKey);
  const customer = operator.withKey(installation.customerKey);
  const random = new Random(terms.seed);
  const load = new Load(target.origin, installation, random);
  const report: Report = { terms, ledger: new Ledger(), lost: [], halfDone: [], readyMs: [], behindMs: [] };

  for (let kill = 1; kill <= terms.kills; kill += 1) {
    const running = load.run();
    await delay(random.integer(LOAD_MS.minimum, LOAD_MS.maximum));
    const readyMs = terms.crashDatabase
      ? await crashDatabase(database, target, load)
      : await killService(target, load, random, terms.processes);
    const round = await running;
    const { lost, behindMs } = await findLost(operator, customer, round, installation.versions);
    const halfDone = await findHalfDone(database);
    await target.isComplete();
    report.ledger.add(round);
    report.readyMs.push(readyMs);
    report.behindMs.push(behindMs);
    report.lost.push(...lost);
    report.halfDone.push(...halfDone);
    onProgress(
      `${kill}/${terms.kills}: ready after ${Math.round(readyMs)} ms, up to date after ${Math.round(behindMs)} ms`,
    );
    for (const line of [...round.unexpected, ...lost, ...halfDone]) onProgress(`  ${line}`);
    if (halfDone.length > 0) break; // It would be reported again after every kill.
  }
  report.lost.push(...(await findLost(operator, customer, report.ledger, installation.versions)).lost);
  await target.stop();
  if (isClean(report)) await rm(dataDir, { recursive: true });
  else onProgress(`The data directory and its serve.log are kept in ${dataDir}.`);
  return report;
}

export function isClean({ lost, halfDone, ledger }: Report): boolean {
  return lost.length + halfDone.length + ledger.unexpected.length === 0;
}

/** Returns the milliseconds until the service was ready again. */
async function killService(target: Target, load: Load, random: Random, processes: number): Promise<number> {
  const victim = processes === 1 ? "all" : random.pick(["worker", "worker", "supervisor", "all"] as const);
  const killed = target.kill(victim, (workers) => random.pick(workers));
  load.end();
  await killed;
  return target.start();
}

/** The service keeps running, and so does the load until the database is back. */
async function crashDatabase(database: Database, target: Target, load: Load): Promise<number> {
  await database.crash();
  const readyMs = await target.start();
  await delay(DATABASE_CRASH_LOAD_MS);
  load.end();
  return readyMs;
}
