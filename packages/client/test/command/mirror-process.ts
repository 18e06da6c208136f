import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { expect, vi } from "vitest";
import type { Shell } from "./shell.ts";

const WAIT = { timeout: 60_000 };

/** A running `dbdepot mirror --serve` on a free port. */
export class MirrorProcess implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  /** Everything it has logged. */
  log = "";
  url = "";

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.resume();
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.log += text;
    });
  }

  static async start(
    shell: Shell,
    publicKey: string,
    options: string[] = [],
    environment: Record<string, string> = {},
    directory = "mirror",
  ): Promise<MirrorProcess> {
    const argv = ["mirror", shell.path(directory), "--serve", "127.0.0.1:0", "--trust", publicKey, ...options];
    const started = new MirrorProcess(shell.spawn(argv, environment));
    await vi.waitFor(() => expect(started.log).toMatch(/serving .* at https?:/), WAIT);
    const [, url = ""] = / at (https?:\S+?): /.exec(started.log) ?? [];
    // The certificates of tests name the host.
    started.url = url.replace("https://127.0.0.1", "https://localhost");
    return started;
  }

  /** Waits until the mirror serves a build. */
  async serves(id: string, buildId: string): Promise<void> {
    const serving = async () => {
      const response = await fetch(`${this.url}/${id}/manifest.json`);
      return response.ok ? ((await response.json()) as { build_id: string }).build_id : undefined;
    };
    await vi.waitFor(async () => expect(await serving()).toBe(buildId), WAIT);
    // Written at the end of the first round.
    await vi.waitFor(async () => expect((await fetch(`${this.url}/dbdepot-mirror.json`)).status).toBe(200), WAIT);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await ended;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "close");
    this.#child.kill("SIGTERM");
    const [exitCode] = await ended;
    expect({ exitCode, log: exitCode === 0 ? "" : this.log }).toEqual({ exitCode: 0, log: "" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.kill();
  }
}
