import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startBareHttp } from "../src/anchors/bare-http.ts";
import { exchange, type HttpResponse } from "../src/exchange.ts";

test("bare node:http sends what the service has sent, header for header", async () => {
  const folder = await mkdtemp(join(tmpdir(), "dbdepot-bench-test-"));
  const sample: HttpResponse = {
    status: 302,
    headers: [
      ["location", "https://files.example/x?y=1"],
      ["X-Request-Id", "abc"],
      ["content-length", "0"],
      ["Date", "Thu, 01 Jan 1970 00:00:00 GMT"],
      ["Connection", "keep-alive"],
    ],
    body: Buffer.alloc(0),
  };
  try {
    await using anchor = await startBareHttp(folder, sample);
    const { status, headers, body } = await exchange(anchor.origin, { path: "/any", headers: {} });
    expect(status).toBe(302);
    expect(headers.slice(0, 3)).toEqual(sample.headers.slice(0, 3));
    expect(headers.map(([name]) => name).slice(3)).toEqual(["Date", "Connection"]);
    expect(body.length).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});
