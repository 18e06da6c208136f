/** The same service on small and on large data: what a vendor's growth costs. */
import { setTimeout as delay } from "node:timers/promises";
import { type Customer, drawCustomers, drawStrangers } from "../data/customers.ts";
import { largeData, smallData } from "../data/growth.ts";
import type { Scale } from "../data/scale.ts";
import type { HttpRequest } from "../exchange.ts";
import { comparison, type Line, memoryLine } from "../line.ts";
import { atRest, peakMemory } from "../processes.ts";
import type { Row } from "../row.ts";
import { type Service, startService } from "../service.ts";
import type { Workshop } from "../workshop.ts";
import { compareUnderLoad, type Side } from "./comparing.ts";
import { ASK } from "./requests.ts";
import { revocation } from "./revocation.ts";

/** "No worse than 1.25 times", for times and, turned over, for throughput. */
const WORSE_AT_MOST = 1.25;
const MEMORY_LIMIT_MB = 400;
/** As many as large data answers in one round, so that hardly any comes twice in it. */
const REQUESTS = 40_000;
const KEYS_IN_USE = 500;
/** For each side. */
const ROUND_SECONDS = 0.8;
/** Shorter than what holds the machine up: else p99 tells whose turn it was. */
const TURN_MS = 20;

interface GrowthRow {
  name: string;
  what: string;
  ask(customer: Customer): HttpRequest;
  draw(scale: Scale, seed: number): Customer[];
  status: number;
  connections: number;
  turnMs: number;
  warmUpSeconds?: number;
  /** Before it, for work that begins only after a while. */
  pauseMs?: number;
  /** Its answer, and so its cost, grows with the families. */
  growsWithFamilies?: true;
  /** Another service on small data takes the place of the one on large. */
  isControl?: true;
}

/** Every request with a key drawn from all there are: on the large data hardly any of them was seen before. */
const anyKey = (scale: Scale, seed: number) => drawCustomers(scale, REQUESTS, seed);
const knownKey = (scale: Scale, seed: number) => drawCustomers(scale, REQUESTS, seed, KEYS_IN_USE);
const badKey = (scale: Scale, seed: number) => drawStrangers(scale, REQUESTS, seed, 1_000_000);

/**
 * Few connections: when the machine holds a service up, all that are open wait, and of 64 so many that p99 tells how
 * often that was and nothing else.
 */
const common = { draw: anyKey, status: 200, connections: 8, turnMs: TURN_MS };
const GROWTH_ROWS: GrowthRow[] = [
  { name: "growth-control", what: "metadata, any key", ask: ASK.metadata, ...common, isControl: true },
  { name: "growth-metadata", what: "metadata, any key", ask: ASK.metadata, ...common },
  { name: "growth-known", what: "metadata, 500 keys in use", ask: ASK.metadata, ...common, draw: knownKey },
  { name: "growth-checksum", what: "checksum, any key", ask: ASK.checksum, ...common },
  {
    name: "growth-download",
    what: "download, any key",
    ask: ASK.download,
    ...common,
    status: 302,
    // Many are written at once, and what is filed afterwards is to be its own side's burden.
    connections: 64,
    turnMs: 200,
    // On large data the first second has half as many answers.
    warmUpSeconds: 3,
  },
  // What the downloads have left is filed when nobody has written for 3 s.
  { name: "growth-history", what: "history, any key", ask: ASK.history, ...common, pauseMs: 3500 },
  { name: "growth-refusal", what: "a bad key, each another", ask: ASK.metadata, ...common, draw: badKey, status: 401 },
  {
    name: "growth-list",
    what: "list, any key",
    ask: ASK.list,
    ...common,
    // Its long answers would take up much of a short turn of the other side.
    turnMs: ROUND_SECONDS * 1000,
    growsWithFamilies: true,
  },
];

export const growthRows: Row[] = [
  ...GROWTH_ROWS.map((row) => ({
    name: row.name,
    what: `${row.what}, on ${row.isControl ? "small data beside small: how far to trust the others" : "large data beside small"}`,
    needs: [],
    measure: (workshop: Workshop) => measure(workshop, row),
  })),
  {
    name: "growth-revoke",
    what: "a key revoked on large data, under load: when it is refused",
    needs: [],
    measure: async (workshop) => [await revocation(workshop, await largeData(workshop), await onLarge(workshop))],
  },
  {
    // Behind all others: it is the peak of what they took.
    name: "growth-memory",
    what: "peak memory on large data",
    needs: [],
    measure: async (workshop) =>
      memoryLine(
        { name: "growth-memory", what: "large data: peak memory" },
        [peakMemory((await onLarge(workshop)).pid)],
        MEMORY_LIMIT_MB,
      ),
  },
];

async function measure(workshop: Workshop, row: GrowthRow): Promise<Line[]> {
  const few = await smallData(workshop);
  const many = row.isControl ? few : await largeData(workshop);
  const side = (service: Service, scale: Scale): Side => ({
    origin: service.origin,
    requests: (round) => row.draw(scale, seedOf(row.name, round)).map(row.ask),
  });
  const onFew = await onSmall(workshop);
  const onMany = row.isControl ? await onSmallAgain(workshop) : await onLarge(workshop);
  // What the row before has left to be done behind the requests' backs is not this one's.
  await delay(row.pauseMs ?? 0);
  for (const { pid } of [onFew, onMany]) await atRest(pid);
  const labels = { name: row.name, what: `${row.isControl ? "small data beside itself" : "large data"}: ${row.what}` };
  const [atLeast, atMost] = row.isControl
    ? [null, null]
    : [{ ratioAtLeast: 1 / WORSE_AT_MOST }, { ratioAtMost: WORSE_AT_MOST }];
  const { line, results } = await compareUnderLoad(workshop, {
    labels,
    anchor: side(onFew, few.scale),
    ours: side(onMany, many.scale),
    status: row.status,
    connections: row.connections,
    seconds: ROUND_SECONDS,
    turnMs: row.turnMs,
    warmUpSeconds: row.warmUpSeconds,
    wanted: atLeast,
  });
  const p99 = {
    anchor: results.anchor.map(({ p99Ms }) => p99Ms),
    ours: results.ours.map(({ p99Ms }) => p99Ms),
  };
  if (!row.growsWithFamilies) {
    return [line, comparison({ name: `${row.name}-p99`, what: `${labels.what}: p99`, unit: "ms" }, p99, atMost)];
  }
  const [fewFamilies, manyFamilies] = [few.scale.families, many.scale.families];
  return [
    comparison(
      { ...labels, unit: "families/s" },
      {
        anchor: line.rounds.anchor.map((perSecond) => perSecond * fewFamilies),
        ours: line.rounds.ours.map((perSecond) => perSecond * manyFamilies),
      },
      atLeast,
      line.latency,
    ),
    comparison(
      { name: `${row.name}-p99`, what: `${labels.what}: p99 for each family`, unit: "ms" },
      { anchor: p99.anchor.map((ms) => ms / fewFamilies), ours: p99.ours.map((ms) => ms / manyFamilies) },
      atMost,
    ),
  ];
}

/** Another one for each row and round, so that no load asks what the one before has asked. */
function seedOf(name: string, round: number): number {
  return [...name].reduce((sum, character) => sum * 31 + character.charCodeAt(0), round) | 0;
}

function onSmall(workshop: Workshop): Promise<Service> {
  return workshop.shared("service on small data", async () => start(workshop, await smallData(workshop)));
}

function onSmallAgain(workshop: Workshop): Promise<Service> {
  return workshop.shared("another service on small data", async () => start(workshop, await smallData(workshop)));
}

function onLarge(workshop: Workshop): Promise<Service> {
  return workshop.shared("service on large data", async () => start(workshop, await largeData(workshop)));
}

/** And left alone until it has taken in its keys, which begins with the first answer. */
async function start({ options }: Workshop, { dataDir, scale }: { dataDir: string; scale: Scale }): Promise<Service> {
  const [customer] = drawCustomers(scale, 1, 0) as [Customer];
  const service = await startService({ dataDir, firstRequest: ASK.metadata(customer), profile: options.profile });
  await atRest(service.pid);
  return service;
}
