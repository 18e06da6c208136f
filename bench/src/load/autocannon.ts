/** A process of its own that makes load where there is no wrk. It gets its task on standard input. */
import { json } from "node:stream/consumers";
import autocannon from "autocannon";
import type { HttpRequest } from "../exchange.ts";
import type { LoadResult, LoadTask } from "../load.ts";

const { origin, requests, connections, seconds } = (await json(process.stdin)) as LoadTask;
const shares = Map.groupBy(requests, (_, i) => i % connections);
let client = 0;

const result = await autocannon({
  url: origin,
  connections,
  duration: seconds,
  setupClient: (one) => {
    // Each connection has requests of its own: all sending the same ones at once would flatter every cache.
    one.setRequests(shares.get(client % connections) as HttpRequest[]);
    client += 1;
  },
});

const answer: LoadResult = {
  requests: result.requests.total,
  seconds: result.duration,
  bytes: result.throughput.total,
  refused: result["4xx"] + result["5xx"],
  broken: result.errors + result.timeouts,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
};
process.stdout.write(`RESULT ${JSON.stringify(answer)}\n`);
