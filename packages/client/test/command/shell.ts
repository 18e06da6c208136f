import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { programEnvironment } from "../../../../rigs/harness/program-environment.ts";
import type { Customer } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { publishFiles } from "../../../server/src/domain/builds/publishing/publish-files.ts";
import { type SampleBuild, type SampleOptions, sampleBuild } from "../../../server/test/domain/builds/sample-build.ts";
import { dbdepot } from "../../src/command/program.ts";

export interface CommandResult {
  exitCode: number | null;
  out: string;
  err: string;
}

const MAIN = join(import.meta.dirname, "../../src/command/main.ts");

/** A customer's shell: the real service, a key for it, and a home directory. */
export class Shell {
  readonly test: TestService;
  readonly customer: Customer;
  readonly folder: string;
  readonly environment: Record<string, string>;
  /** The program that `spawn` starts. A bundle of it starts faster. */
  program = MAIN;
  /** Everything printed, which dispose() searches for secrets. */
  readonly #printed: string[] = [];
  readonly #servers: Server[] = [];

  private constructor(test: TestService, customer: Customer, folder: string) {
    this.test = test;
    this.customer = customer;
    this.folder = folder;
    this.environment = {
      DBDEPOT_CLIENT_URL: customer.apiUrl,
      DBDEPOT_CLIENT_KEY: customer.key,
      DBDEPOT_CLIENT_DIRECTORY: join(folder, "databases"),
      DBDEPOT_CLIENT_JITTER: "0",
      // Tests must not touch the keyring of whoever runs them.
      DBDEPOT_CLIENT_KEYRING: "off",
      HOME: folder,
      PATH: process.env.PATH ?? "",
    };
  }

  /** Opens a shell with licences for the families vpn_ip and bogon_ip, but not for tor_ip. */
  static async open(settings: Record<string, string> = {}, stage = stages()[0] as Stage): Promise<Shell> {
    const test = await testService(stage, settings);
    const customer = await test.operator.customer("Acme", { scopes: ["db.download", "apikeys.manage"] });
    const shell = new Shell(test, customer, await mkdtemp(join(tmpdir(), "dbdepot-shell-")));
    for (const id of ["vpn_ip_v1", "bogon_ip_v1", "tor_ip_v1"]) await test.operator.addDatabase(id);
    for (const base of ["vpn_ip", "bogon_ip"]) await test.operator.grant("Acme", base);
    return shell;
  }

  /** Publishes a valid build. The clock advances, so that builds are ordered. */
  async publish(id: string, options: SampleOptions = {}): Promise<SampleBuild & { buildId: string }> {
    const { operator, clock, service } = this.test;
    clock.advance("1 seconds");
    const build = sampleBuild(id, options);
    const files = Object.fromEntries(Object.entries(build.files).map(([format, bytes]) => [format, one(bytes)]));
    const { build: published } = await publishFiles(
      { operation: async () => operator.operation(), objects: service.services.objects },
      { versionId: id, document: build.document, files, force: true },
    );
    await operator.settle();
    return { ...build, buildId: published.id };
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  database(name: string): string {
    return this.path("databases", name);
  }

  /** The files in the database directory, without the status file. */
  async names(): Promise<string[]> {
    return (await readdir(this.path("databases"))).filter((name) => name !== ".dbdepot-status.json").sort();
  }

  /** The same after kills, which can leave drafts of the status file: `sync` does not delete them. */
  async namesAfterKills(): Promise<string[]> {
    return (await this.names()).filter((name) => !name.startsWith("..dbdepot-status.json."));
  }

  async status() {
    return JSON.parse(await readFile(this.database(".dbdepot-status.json"), "utf8"));
  }

  run(...argv: string[]): Promise<CommandResult> {
    return this.runWith({}, ...argv);
  }

  /** Runs a command with other variables, or on a terminal. An empty variable counts as not set. */
  async runWith(
    { columns, ...more }: Record<string, string | number | undefined> & { columns?: number | undefined },
    ...argv: string[]
  ): Promise<CommandResult> {
    const result = { exitCode: 0, out: "", err: "" };
    result.exitCode = await dbdepot(argv, {
      env: { ...this.environment, ...(more as Record<string, string>) },
      writeOut: (printed) => {
        result.out += printed;
      },
      writeErr: (printed) => {
        result.err += printed;
      },
      outColumns: columns,
      errColumns: columns,
      retryDelayMs: 1,
    });
    this.#printed.push(result.out, result.err);
    return result;
  }

  /** Runs a command with `--json` and returns the document it prints. It must exit with `exitCode`. */
  // biome-ignore lint/suspicious/noExplicitAny: every command prints another document
  async json(exitCode: number, ...argv: string[]): Promise<any> {
    const result = await this.run(...argv, "--json");
    expect({ exitCode: result.exitCode, err: result.err }).toEqual({ exitCode, err: "" });
    return JSON.parse(result.out);
  }

  /** Starts a command in its own process. */
  spawn(argv: string[], more: Record<string, string> = {}, uid?: number): ChildProcessWithoutNullStreams {
    const env = { ...programEnvironment(), ...this.environment, ...more };
    const user = uid === undefined || uid === process.getuid?.() ? {} : { uid, gid: uid };
    return spawn(process.execPath, [this.program, ...argv], { env, cwd: this.folder, ...user });
  }

  async ended(child: ChildProcessWithoutNullStreams): Promise<CommandResult> {
    const [out, err, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    this.#printed.push(out, err);
    return { exitCode, out, err };
  }

  /** A reverse proxy that changes response headers. `seen` lists the endpoints and statuses. */
  async inFront(change: (headers: IncomingHttpHeaders) => void = () => {}) {
    const seen: string[] = [];
    /** `hidden` is a path that responds with 404. */
    const front = { url: "", seen, hidden: "" };
    const server = createServer((incoming, outgoing) => {
      const { headers, method } = incoming;
      const url = incoming.url === front.hidden ? "/nothing/events" : (incoming.url ?? "/");
      const forwarded = request(`${this.customer.apiUrl}${url}`, { method, headers }, (upstream) => {
        seen.push(`${new URL(url, "http://localhost").pathname.split("/").at(-1)} ${upstream.statusCode}`);
        const changed = { ...upstream.headers };
        change(changed);
        outgoing.writeHead(upstream.statusCode ?? 500, changed);
        upstream.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    this.#servers.push(server);
    front.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return front;
  }

  /** Also checks that neither the output nor any file that a command wrote contains the key. */
  async dispose(): Promise<void> {
    const secret = this.customer.key.slice("dbd_12345678_".length);
    const written = await filesBelow(this.folder);
    for (const server of this.#servers) server.close().closeAllConnections();
    await this.test.dispose();
    await rm(this.folder, { recursive: true, force: true });
    expect([...this.#printed, ...written].filter((printed) => printed.includes(secret))).toEqual([]);
  }
}

/** Reads all files except *.key and *.secret.toml, into which tests write the key. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !/\.key$|\.secret\.toml$/.test(entry.name));
  return Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "latin1")));
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
