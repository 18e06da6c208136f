/** Publication beside the four digests of coreutils, side by side as it computes them. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { MadeBuild } from "../data/builds.ts";
import { comparison, type Line, memoryLine } from "../line.ts";
import { run } from "../processes.ts";
import { alternate } from "../rounds.ts";
import type { Row } from "../row.ts";
import { timeOperation } from "../service.ts";
import { amount } from "../table.ts";
import type { Tool } from "../tools.ts";
import type { Workshop } from "../workshop.ts";
import { largeCsvgz, largeMmdb, placeFor, publication } from "./large-builds.ts";

const DIGESTS = 'md5sum "$0" & sha1sum "$0" & sha256sum "$0" & sha512sum "$0" &';

interface PublishRow {
  name: string;
  what: string;
  needs: Tool[];
  build(workshop: Workshop): Promise<MadeBuild>;
  /** A shell's line; $0 is the file. */
  anchor: string;
  ratioAtLeast: number;
}

const PUBLISH_ROWS: PublishRow[] = [
  {
    name: "publish-mmdb",
    what: "publish 1 GiB of mmdb, beside four digests",
    needs: ["sha512sum"],
    build: largeMmdb,
    anchor: `${DIGESTS} wait`,
    ratioAtLeast: 0.8,
  },
  {
    name: "publish-csvgz",
    what: "publish a csvgz of 100 million bytes, beside four digests, zcat and wc -l",
    needs: ["sha512sum", "zcat"],
    build: largeCsvgz,
    anchor: `${DIGESTS} { zcat "$0" | wc -l; } & wait`,
    ratioAtLeast: 0.7,
  },
];

export const publishRows: Row[] = PUBLISH_ROWS.map((row) => ({
  name: row.name,
  what: row.what,
  needs: row.needs,
  measure: (workshop) => measure(workshop, row),
}));

async function measure(workshop: Workshop, row: PublishRow): Promise<Line[]> {
  const build = await row.build(workshop);
  const place = await placeFor(workshop, build);
  const speed = (seconds: number) => build.sizeBytes / 1e6 / seconds;
  const digest = () => run("sh", ["-c", row.anchor, build.file]);
  const publish = async () => {
    const ended = await timeOperation(place, ...publication(build));
    // Only the file goes, to make room: the next publication finds the build before it in the database.
    await rm(join(place.dataDir, "objects"), { recursive: true });
    return ended;
  };
  const results = await alternate(workshop.rounds, { anchor: digest, ours: publish }, (round, anchor, ours) =>
    workshop.say(
      `${row.name} ${round + 1}/${workshop.rounds}: ${amount(ours.seconds, "s")} beside ${amount(anchor.seconds, "s")}`,
    ),
  );
  const rounds = {
    anchor: results.anchor.map(({ seconds }) => speed(seconds)),
    ours: results.ours.map(({ seconds }) => speed(seconds)),
  };
  const peaks = results.ours.map(({ peakMemoryBytes }) => peakMemoryBytes);
  return [
    comparison({ name: row.name, what: row.what, unit: "MB/s" }, rounds, { ratioAtLeast: row.ratioAtLeast }),
    ...memoryLine({ name: `${row.name}-memory`, what: `${row.name}: the publisher's peak memory` }, peaks, null),
  ];
}
