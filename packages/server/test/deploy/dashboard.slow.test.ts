import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { Customer } from "../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { type MetricsServer, serveMetrics } from "../../src/adapters/monitoring/metrics-server.ts";
import { record } from "../../src/domain/audit/audit.ts";
import { createFreshnessKey } from "../../src/domain/manifests/freshness-keys.ts";
import { createSigningKey } from "../../src/domain/manifests/signing-keys.ts";
import { exported } from "../routes/operator/exported.ts";
import { expectSuccess, robotOf } from "../routes/operator/robot.ts";

const DASHBOARD = join(import.meta.dirname, "../../../../deploy/grafana/dashboard.json");

interface Panel {
  title: string;
  targets: { expr: string }[];
}
interface QueryResult {
  data: { result: { value: [time: number, value: string] }[] };
}
const { panels }: { panels: Panel[] } = JSON.parse(await readFile(DASHBOARD, "utf8"));
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));

describe("deploy/grafana/dashboard.json with Prometheus and a server under load", needs("prometheus"), () => {
  let directory: string;
  let test: TestService;
  let metrics: MetricsServer | undefined;
  let prometheus: ChildProcess;
  let url: string;
  let load: Promise<void>;
  let isOver = false;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "dbdepot-prometheus-"));
    const [stage] = stages();
    test = await testService(stage as NonNullable<typeof stage>);
    metrics = await serveMetrics({ host: "127.0.0.1", port: 0 }, test.service.services.metrics.registry, false);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const scraping = {
      global: { scrape_interval: "1s" },
      scrape_configs: [{ job_name: "dbdepot", static_configs: [{ targets: [new URL(metrics?.url ?? "").host] }] }],
    };
    const config = join(directory, "prometheus.yaml");
    // JSON is YAML, too.
    await writeFile(config, JSON.stringify(scraping));
    const options = {
      "config.file": config,
      "storage.tsdb.path": directory,
      "web.listen-address": `127.0.0.1:${port}`,
    };
    const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    prometheus = spawn("prometheus", flags, { stdio: "ignore" });
    load = keepBusy();
  });
  afterAll(async () => {
    isOver = true;
    await load;
    prometheus.kill();
    await once(prometheus, "exit");
    await metrics?.[Symbol.asyncDispose]();
    await test.dispose();
    await rm(directory, { recursive: true });
  });

  /** Publishes once Prometheus has seen the server, then lists, downloads and is refused until the test is over. */
  async function keepBusy(): Promise<void> {
    const { operator } = test;
    while ((await query("dbdepot_database_up")).length === 0) await delay(100);
    await createSigningKey(operator.operation());
    await createFreshnessKey(operator.operation(), { validDays: 365 });
    const acme = await operator.customer("Acme");
    await operator.addDatabase("vpn_ip_v1");
    await operator.addDatabase("tor_ip_v1");
    await operator.grant("Acme", "vpn_ip");
    await publish();
    const backup = { action: "backup.created", subject: "/backups/1", after: { rows: 1 } } as const;
    await test.service.services.store.change((tables) => record(tables, operator.operation(), backup));
    const stranger = new Customer(acme.apiUrl, "dbd_wrong", acme);
    while (!isOver) {
      await acme.list();
      await acme.download("vpn_ip_v1", "mmdb");
      await acme.get("/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream");
      await acme.metadata("tor_ip_v1");
      await stranger.list();
    }
  }

  async function publish(): Promise<void> {
    const robot = await robotOf(test);
    const { document, files } = await exported("vpn_ip_v1");
    const { id } = expectSuccess<{ id: string }>(await robot.sendBytes("POST", "/builds?version=vpn_ip_v1", document));
    for (const [format, bytes] of Object.entries(files)) {
      expectSuccess(await robot.sendBytes("PUT", `/builds/${id}/files/${format}`, bytes));
    }
    await robot.request("POST", `/builds/${id}/publish`);
  }

  /** The values of a query, without those that are no number. */
  async function query(expression: string): Promise<number[]> {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`).catch(() => undefined);
    if (response?.status === 503 || !response) return [];
    const body = (await response.json()) as QueryResult;
    expect(body).toMatchObject({ status: "success" });
    return body.data.result.map(({ value: [, value] }) => Number(value)).filter(Number.isFinite);
  }

  it.each(queries)("shows data for $title: $expr", async ({ expr }) => {
    const filled = expr
      .replaceAll("$job", "dbdepot")
      .replaceAll("$instance", ".*")
      .replaceAll("$__rate_interval", "1m");
    const advice = "The panel is empty: correct its query, or make keepBusy() do what the metric counts";
    await expect.poll(() => query(filled), { message: advice }).not.toEqual([]);
  });
});
