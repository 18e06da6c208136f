import fc from "fast-check";
import type { FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { basicCredentials, bearerKey } from "../../src/http/credentials.ts";

function requestWith(authorization: string): FastifyRequest {
  const raw = { rawHeaders: ["Authorization", authorization] };
  return { headers: { authorization }, raw, query: {} } as unknown as FastifyRequest;
}

it("reads back the account and the key of HTTP Basic", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[^:\s]+$/), fc.stringMatching(/^\S+$/), (account, key) => {
      const encoded = Buffer.from(`${account}:${key}`).toString("base64");
      expect(basicCredentials(requestWith(`Basic ${encoded}`))).toEqual({ account, key });
    }),
  );
});

it("accepts any text in the Authorization header and never takes one scheme for the other", () => {
  const scheme = fc.constantFrom("", "basic", "Basic ", "bearer ", "Bearer", "BASIC\t");
  fc.assert(
    fc.property(scheme, fc.string(), (prefix, rest) => {
      const request = requestWith(prefix + rest);
      const basic = basicCredentials(request);
      const bearer = bearerKey(request);
      expect(basic === undefined || bearer === undefined).toBe(true);
      for (const text of [basic?.account, basic?.key, bearer]) expect(text ?? "").toBe((text ?? "").trim());
    }),
  );
});
