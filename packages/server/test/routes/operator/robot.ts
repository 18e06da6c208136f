import { OPERATOR_SCOPES } from "@dbdepot/contract/shared/scopes";
import { expect } from "vitest";
import { call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { postgresUrl } from "../../../../../rigs/harness/service/engines.ts";
import { databaseUrl } from "../../../../../rigs/harness/service/templates.ts";
import type { TestService } from "../../../../../rigs/harness/service/test-service.ts";
import { createKey } from "../../../src/domain/keys/keys.ts";
import { runCommand } from "../../commands/terminal.ts";

const ALL = OPERATOR_SCOPES as readonly string[];

/** A program on another machine that calls the operator API with an operator key. */
export class Robot {
  readonly apiUrl: string;
  readonly key: string;

  constructor(apiUrl: string, key: string) {
    this.apiUrl = apiUrl;
    this.key = key;
  }

  get prefix(): string {
    return this.key.slice(0, "dbd_12345678".length);
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const content = body === undefined ? {} : { "content-type": "application/json" };
    return call(`${this.apiUrl}/api/operator${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...content, ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send("GET", path, undefined, headers);
  }

  post(path: string, body?: unknown): Promise<Reply> {
    return this.send("POST", path, body);
  }

  /** Sends the bytes unchanged. */
  sendBytes(method: string, path: string, body: Buffer): Promise<Reply> {
    const headers = { authorization: `Bearer ${this.key}`, "content-type": "application/octet-stream" };
    return call(`${this.apiUrl}/api/operator${path}`, { method, headers, body: new Uint8Array(body) });
  }

  /** Sends a request that must succeed, and returns the body of its response. */
  async request<T = Record<string, string>>(method: string, path: string, body?: unknown): Promise<T> {
    return expectSuccess<T>(await this.send(method, path, body));
  }

  /** All pages of a list. */
  async all<T = Record<string, string>>(path: string, field: string): Promise<T[][]> {
    const pages: T[][] = [];
    for (let next: string | undefined = path; next; ) {
      const reply: Reply = await this.get(next);
      pages.push(expectSuccess<Record<string, T[]>>(reply)[field] ?? []);
      next = /^<\/api\/operator([^>]+)>; rel="next"$/.exec(reply.headers.get("link") ?? "")?.[1];
    }
    return pages;
  }
}

export function expectSuccess<T>(reply: Reply): T {
  expect({ status: reply.status, body: reply.json ?? reply.text }).toMatchObject({ status: 200 });
  expect(reply.headers.get("cache-control")).toBe("no-store");
  return reply.json;
}

/** Expects `{rc, message}` and a request id. */
export function expectError(reply: Reply, status: number, rc: string, message: string | RegExp): void {
  const words = typeof message === "string" ? expect.stringContaining(message) : expect.stringMatching(message);
  expect({ status: reply.status, body: reply.json }).toEqual({ status, body: { rc, message: words } });
  expect(reply.headers.get("cache-control")).toBe("no-store");
  expect(reply.headers.get("x-request-id")).toMatch(/\S/);
}

export async function robotOf(
  { operator, service }: TestService,
  {
    scopes = ALL,
    cidrs = [],
    expires = null,
  }: { scopes?: readonly string[]; cidrs?: string[]; expires?: Date | null } = {},
): Promise<Robot> {
  const request = { organizationId: null, name: "robot", scopes, cidrs, expires };
  const { plain } = await createKey(operator.operation(), request);
  return new Robot(service.apiUrl, plain.reveal());
}

/** Runs the command with `--json` on the same database. */
export async function command<T = unknown>({ dataDir, databaseName }: TestService, ...argv: string[]): Promise<T> {
  const url = databaseName.startsWith("/") ? `sqlite:${databaseName}` : databaseUrl(postgresUrl(), databaseName);
  const environment = { DBDEPOT_DATA_DIR: dataDir, DBDEPOT_DATABASE_URL: url };
  const { exitCode, out, err } = await runCommand([...argv, "--json"], environment);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  return JSON.parse(out);
}
