import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { findMixedBuilds } from "../mixed-builds.ts";

describe("findMixedBuilds", () => {
  let server: Server;
  afterEach(() => void server.close());

  /** A service that returns these builds, one after the other. */
  async function serviceWith(builds: readonly string[]): Promise<string> {
    const next = builds.values();
    server = createServer((_request, response) => response.setHeader("x-build-id", next.next().value ?? "").end());
    await once(server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it.each([
    ["one build", ["a", "a", "a", "a"]],
    ["a build that was replaced in between", ["a", "a", "b", "b"]],
  ])("accepts %s", async (_, builds) => {
    expect(await findMixedBuilds(await serviceWith(builds), "key", "vpn_ip_v1")).toEqual([]);
  });

  it("reports another build between two responses about the same one", async () => {
    const [found] = await findMixedBuilds(await serviceWith(["a", "a", "b", "a"]), "key", "vpn_ip_v1");
    expect(found).toContain("checksum?id=vpn_ip_v1&format=mmdb has b");
  });

  it("says nothing about a service that has stopped", async () => {
    const origin = await serviceWith([]);
    server.close();
    expect(await findMixedBuilds(origin, "key", "vpn_ip_v1")).toEqual([]);
  });
});
