/** From the start of the process to the first answer. */

import { largeData } from "../data/growth.ts";
import { keyText } from "../data/key-text.ts";
import { databaseIdOf, licensedFamily } from "../data/names.ts";
import type { HttpRequest } from "../exchange.ts";
import { type Line, lone } from "../line.ts";
import type { Row } from "../row.ts";
import { makeDemo, startService } from "../service.ts";
import { amount } from "../table.ts";
import type { Workshop } from "../workshop.ts";
import { ASK } from "./requests.ts";

interface StartRow {
  name: string;
  what: string;
  belowSeconds: number;
  prepare(workshop: Workshop): Promise<{ dataDir: string; firstRequest: HttpRequest }>;
}

const START_ROWS: StartRow[] = [
  { name: "start-demo", what: "start to the first answer, demo data", belowSeconds: 0.7, prepare: demo },
  { name: "start-large", what: "start to the first answer, large data", belowSeconds: 2, prepare: large },
];

export const startRows: Row[] = START_ROWS.map((row) => ({
  name: row.name,
  what: row.what,
  needs: [],
  measure: (workshop) => measure(workshop, row),
}));

async function measure(workshop: Workshop, { name, what, belowSeconds, prepare }: StartRow): Promise<Line[]> {
  const { dataDir, firstRequest } = await prepare(workshop);
  const { profile } = workshop.options;
  const times: number[] = [];
  for (let round = 1; round <= workshop.rounds; round += 1) {
    await using service = await startService({ dataDir, firstRequest, profile });
    times.push(service.startedInSeconds);
    workshop.say(`${name} ${round}/${workshop.rounds}: ${amount(service.startedInSeconds, "s")}`);
  }
  return [lone({ name, what, unit: "s" }, times, belowSeconds)];
}

async function demo(workshop: Workshop) {
  const dataDir = workshop.newFolder("demo");
  const { key } = await makeDemo({ dataDir });
  return { dataDir, firstRequest: ASK.metadata({ key, databaseId: "bogon_ip_v1" }) };
}

async function large(workshop: Workshop) {
  const { dataDir, scale } = await largeData(workshop);
  const databaseId = databaseIdOf(licensedFamily(scale, 0, 0), 1);
  return { dataDir, firstRequest: ASK.metadata({ key: keyText(0), databaseId }) };
}
