import { setTimeout } from "node:timers/promises";
import { type DatabaseAddress, openStore } from "../../../src/adapters/sql/open.ts";
import { JobRunner } from "../../../src/domain/jobs/runner.ts";

/** A process that kill.slow.test.ts starts and kills. Its clock is fast, so that claims expire after two seconds. */
const CLOCK_SPEED = 30;

const [address = "", started = ""] = process.argv.slice(2);
const store = await openStore(JSON.parse(address) as DatabaseAddress);
const clock = () => new Date(Number(started) + (Date.now() - Number(started)) * CLOCK_SPEED);
const runner = new JobRunner({
  store,
  clock,
  handlers: {
    make_patches: {
      async run({ versionId }) {
        process.stdout.write(`begin ${versionId}\n`);
        await setTimeout(50);
        process.stdout.write(`end ${versionId}\n`);
      },
    },
  },
  onFailure(message, error) {
    process.stderr.write(`${message}: ${error}\n`);
  },
});
runner.start({ revision: 0 });
// The timers of the runner do not keep a process alive.
setInterval(() => {}, 60_000);
