import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";

/** Where the files come from, over a line of so many bytes a second: nginx, which takes next to no time for it. */
export class Line implements AsyncDisposable {
  readonly url: string;
  readonly #port: number;
  readonly #folder: string;
  #nginx: ChildProcess | undefined;

  private constructor(port: number, folder: string) {
    this.url = `http://127.0.0.1:${port}`;
    this.#port = port;
    this.#folder = folder;
  }

  static async lay(): Promise<Line> {
    return new Line(await freePort(), await mkdtemp(join(tmpdir(), "dbdepot-line-")));
  }

  async open(root: string, bytesPerSecond: number): Promise<void> {
    const kept = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`);
    const server = `server { listen 127.0.0.1:${this.#port}; root ${root}; limit_rate ${bytesPerSecond}; }`;
    const config = [
      "daemon off; master_process off; pid nginx.pid; events {}",
      `http { access_log off; sendfile on; ${kept.join(" ")} ${server} }`,
    ];
    await writeFile(join(this.#folder, "nginx.conf"), config.join("\n"));
    const args = ["-p", this.#folder, "-c", "nginx.conf", "-e", "errors.txt"];
    this.#nginx = spawn("nginx", args, { stdio: "inherit" });
    while (!(await fetch(this.url).catch(() => undefined))) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#nginx?.kill()) await once(this.#nginx, "exit");
    await rm(this.#folder, { recursive: true, force: true });
  }
}
