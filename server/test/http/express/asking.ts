import { expect } from "vitest";
import { headerOf, plain, type RawAnswer, type RawClient } from "./raw-client.ts";
import { bodyOf } from "./test-server.ts";

export const MIB = 1024 * 1024;
/** More than the system's buffers of both sides hold. */
export const ENDLESS = `/now/${32 * MIB}`;

/** Until it holds; the machine may be busy. */
export const eventually = <T>(value: () => T) => expect.poll(value, { timeout: 15_000, interval: 5 });

export function expectAnswer(answer: RawAnswer, url: string, by: "express" | "node"): void {
  const got = { statusLine: answer.statusLine, url: headerOf(answer, "url"), by: headerOf(answer, "by") };
  expect(got).toEqual({ statusLine: "HTTP/1.1 200 OK", url, by });
  expect(headerOf(answer, "content-length")).toBe(String(bodyOf(url).length));
  expect(answer.body.equals(bodyOf(url))).toBe(true);
}

export async function ask(client: RawClient, url: string, by: "express" | "node" = "express"): Promise<RawAnswer> {
  const answer = await client.send(plain(url)).answer();
  expectAnswer(answer, url, by);
  return answer;
}
