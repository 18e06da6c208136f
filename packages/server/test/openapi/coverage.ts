import { expect } from "vitest";
import type { Reply } from "../../../../rigs/harness/service/customer.ts";
import { callDocumented, type DocumentedRequest, documentedResponses, type Operation } from "./documented.ts";
import { openFixture } from "./fixture.ts";

/** The parts of the API that have a test file of their own. responses.test.ts covers the rest. */
const PARTS = {
  "delta-sharing": / \/delta-sharing\//,
  console: / \/api\/console\//,
  iam: / \/api\/v1\/iam\//,
  v2: / (\/api\/v2\/(?!webhooks|destinations)|\/\.well-known\/dbdepot-keys)/,
  webhooks: / \/api\/v2\/webhooks/,
  destinations: / \/api\/v2\/destinations/,
};

/** Checks that the tests of a file provoke every documented response of a part of the API. */
export class Coverage {
  readonly documented: readonly string[];
  readonly #seen = new Set<string>();

  constructor(part: keyof typeof PARTS | "rest") {
    this.documented = documentedResponses().filter((outcome) =>
      part === "rest" ? !Object.values(PARTS).some((paths) => paths.test(outcome)) : PARTS[part].test(outcome),
    );
  }

  async call(
    apiUrl: string,
    operation: Operation,
    request: DocumentedRequest = {},
  ): Promise<{ reply: Reply; outcome: string }> {
    const result = await callDocumented(apiUrl, operation, request);
    this.#seen.add(result.outcome);
    return result;
  }

  /** Expects a status and code, such as `400 INVALID_REQUEST`. */
  async expect(
    apiUrl: string,
    operation: Operation,
    expected: string,
    request: DocumentedRequest = {},
  ): Promise<Reply> {
    const { reply, outcome } = await this.call(apiUrl, operation, request);
    expect(outcome).toBe(`${operation} ${expected}`);
    return reply;
  }

  /** Calls every operation on a server that accepts only the first request. */
  async callTooOften(): Promise<void> {
    const { service, dispose } = await openFixture({ DBDEPOT_RATE_LIMIT: "1:1" });
    await callDocumented(service.apiUrl, "GET /api/v2/database/list");
    for (const outcome of this.documented.filter((outcome) => outcome.endsWith(" 429 RATE_LIMITED"))) {
      await this.call(service.apiUrl, outcome.split(" 429 ")[0] as Operation);
    }
    await dispose();
  }

  /** Belongs into the last test of a file. */
  expectComplete(): void {
    expect(this.documented).not.toEqual([]);
    // Tests cannot provoke every 500 and 503, and 408 and 431 are the same for all endpoints.
    const expected = this.documented.filter((outcome) => !/ (408|431|500|503)( |$)/.test(outcome));
    expect(expected.filter((outcome) => !this.#seen.has(outcome))).toEqual([]);
  }
}

/** Provokes every response of an endpoint that sends files. */
export async function expectFileResponses(
  expectWith: (headers: Record<string, string>, expected: string) => Promise<unknown>,
): Promise<void> {
  await expectWith({}, "200");
  await expectWith({ range: "bytes=3-" }, "206");
  await expectWith({ range: "bytes=9000-" }, "416 RANGE_NOT_SATISFIABLE");
  await expectWith({ "if-none-match": "*" }, "304");
  await expectWith({ "if-match": '"other"' }, "412 PRECONDITION_FAILED");
}
