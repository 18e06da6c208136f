import { GetObjectCommand, HeadObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linkSigner } from "../../../src/adapters/objects/links.ts";
import { linkTarget } from "../../../src/adapters/objects/s3-url.ts";
import { createPresigner, createVerifier, encodePath, type LinkRequest } from "../../../src/adapters/objects/sigv4.ts";

const word = fc.stringMatching(/^[a-z0-9]{3,12}$/);
const bucket = fc.oneof(
  word,
  fc.stringMatching(/^[a-z0-9]([a-z0-9-]{1,20}|\.)[a-z0-9]{1,20}$/),
  fc.constantFrom("a.b.c", "aaa.bbb.ccc", "192.168.5.4", "under_score", "UPPER"),
);
const odd = fc.constantFrom(..." +~!*'()/&=?#%@:;,$\"<>[]{}|^`ü漢🗄");
const key = fc.oneof(
  fc.string({ unit: fc.oneof(odd, word), minLength: 1, maxLength: 20 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
);
const credentials = fc.record(
  {
    accessKeyId: fc.stringMatching(/^[A-Za-z0-9+/=_-]{3,20}$/),
    secretAccessKey: fc.string({ minLength: 1, maxLength: 40 }),
    sessionToken: fc.base64String({ minLength: 4, maxLength: 100 }),
  },
  { requiredKeys: ["accessKeyId", "secretAccessKey"] },
);
const endpoint = fc.constantFrom(
  undefined,
  "https://s3.example.com",
  "http://s3.example.com",
  "https://s3.example.com:8443",
  "https://s3.example.com:443",
  "http://127.0.0.1:9000",
  "http://localhost:9000",
  "https://example.com/storage/v1/s3",
);
const address = fc.record({
  bucket,
  prefix: fc.constant(""),
  region: fc.constantFrom("us-east-1", "eu-west-1", "ap-southeast-2", "us-gov-west-1", "cn-north-1"),
  endpoint,
  pathStyle: fc.boolean(),
  conditionalWrites: fc.constant(true),
});
const signed = fc.date({ min: new Date("1971-01-01"), max: new Date("2099-12-31"), noInvalidDate: true });
const method = fc.constantFrom("GET" as const, "HEAD" as const);
const text = fc.string({ unit: fc.oneof(odd, word), minLength: 1, maxLength: 10 });

describe("SigV4 presigner", () => {
  it("creates the same links as the AWS SDK, byte for byte", async () => {
    const cases = fc.record({ address, credentials, key, method, signed, text, expiresSeconds: fc.nat(604_799) });
    const property = fc.asyncProperty(
      cases,
      async ({ address, credentials, key, method, signed, text, expiresSeconds }) => {
        const client = new S3Client({
          region: address.region,
          ...(address.endpoint && { endpoint: address.endpoint }),
          // By default the SDK puts a bucket name with dots in front of an IP address, and fails.
          forcePathStyle: address.pathStyle || (address.endpoint ?? "").includes("127.0.0.1"),
          credentials: { ...credentials },
          requestChecksumCalculation: "WHEN_REQUIRED",
          responseChecksumValidation: "WHEN_REQUIRED",
        });
        const input = {
          Bucket: address.bucket,
          Key: key,
          ResponseContentDisposition: text,
          ResponseContentType: `a/${text}`,
        };
        const command = method === "GET" ? new GetObjectCommand(input) : new HeadObjectCommand(input);
        const options = { expiresIn: expiresSeconds + 1, signingDate: signed };
        const theirs = await getSignedUrl(client, command as GetObjectCommand, options);
        const { origin, basePath } = linkTarget(address);
        const presign = createPresigner(origin, { credentials, region: address.region });
        const request: LinkRequest = {
          method,
          path: encodePath(basePath + key),
          contentDisposition: text,
          contentType: `a/${text}`,
          signed,
          expiresSeconds: expiresSeconds + 1,
        };
        presign({ ...request, signed: new Date(signed.getTime() - 24 * 3600_000) }); // Fills the cache with another day's signing key.
        expect(presign(request)).toBe(theirs);
      },
    );
    await fc.assert(property, { numRuns: 1000 });
  });

  it("uses the algorithm of the example in the AWS documentation", () => {
    // https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
    // The presigner always adds our response parameters, so this uses the verifier, which accepts any query.
    const verify = createVerifier({
      region: "us-east-1",
      credentials: { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
    });
    const query =
      "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
      "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host" +
      "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
    const request = { method: "GET", target: `/test.txt?${query}`, host: "examplebucket.s3.amazonaws.com" };
    const verdict = verify({ ...request, hasAuthorizationHeader: false }, new Date("2013-05-24T12:00:00Z"));
    expect(verdict).toMatchObject({ granted: true, path: "/test.txt" });
  });
});

describe("SigV4 verification", () => {
  const authority = { region: "local", credentials: { accessKeyId: "dbdepot", secretAccessKey: "secret" } };
  const presign = createPresigner("http://objects.example.com:8081", authority);
  const verify = createVerifier(authority);
  const now = new Date("2026-01-31T23:59:30Z");
  const terms: LinkRequest = {
    method: "GET",
    path: "/a/b%20c",
    contentDisposition: "attachment",
    contentType: "a/b",
    signed: now,
    expiresSeconds: 900,
  };
  function judge(link: string, change: { method?: string; host?: string; at?: Date; authorization?: boolean } = {}) {
    const { pathname, search, host } = new URL(link);
    const hasAuthorizationHeader = change.authorization ?? false;
    const request = { method: change.method ?? "GET", target: pathname + search, host: change.host ?? host };
    const verdict = verify({ ...request, hasAuthorizationHeader }, change.at ?? now);
    return verdict.granted ? "granted" : `${verdict.refusal}${verdict.message ? `: ${verdict.message}` : ""}`;
  }
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const link = presign(terms);

  it("accepts a signed link and returns its path and parameters", () => {
    const { pathname, search, host } = new URL(link);
    const request = { method: "GET", target: pathname + search, host, hasAuthorizationHeader: false };
    const verdict = verify(request, now);
    expect(verdict).toMatchObject({ granted: true, path: "/a/b c" });
    expect(verdict.granted && verdict.parameters.get("response-content-type")).toBe("a/b");
  });

  it("accepts every link of the presigner, whatever characters it contains", () => {
    const property = fc.property(fc.record({ key, text, signed, method }), ({ key, text, signed, method }) => {
      const path = encodePath(`/${key}`);
      const contentDisposition = text;
      const link = presign({ ...terms, method, path, contentDisposition, signed });
      // URL would remove dot segments.
      const target = link.slice("http://objects.example.com:8081".length);
      const request = { method, target, host: "objects.example.com:8081", hasAuthorizationHeader: false };
      expect(verify(request, signed)).toMatchObject({ granted: true, path: `/${key}` });
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it("refuses a link with any character changed", () => {
    const signedPart = link.slice("http://objects.example.com:8081".length);
    const property = fc.property(
      fc.nat(signedPart.length - 1),
      fc.constantFrom(..."abcXYZ019%&=+/-_. "),
      (index, character) => {
        const target = signedPart.slice(0, index) + character + signedPart.slice(index + 1);
        const request = { method: "GET", target, host: "objects.example.com:8081", hasAuthorizationHeader: false };
        const isSame = target.replaceAll("+", "%20") === signedPart.replaceAll("+", "%20");
        expect(verify(request, now).granted).toBe(isSame);
      },
    );
    fc.assert(property, { numRuns: 3000 });
  });

  it.each([
    ["in its last second", {}, later(899), "granted"],
    ["when it expires", {}, later(900), "AccessDenied: Request has expired"],
    ["on the next day", {}, later(60), "granted"],
    ["15 minutes before it was signed", {}, later(-900), "granted"],
    ["more than 15 minutes before it was signed", {}, later(-901), "AccessDenied: Request is not valid yet"],
    ["that lasts a week", { expiresSeconds: 604_800 }, later(604_799), "granted"],
  ])("checks the time of a link %s", (_, change, at, expected) => {
    expect(judge(presign({ ...terms, ...change }), { at })).toBe(expected);
  });

  it.each<[string, (link: string) => string, string]>([
    ["another algorithm", (l) => l.replace("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA1"), "X-Amz-Algorithm must be"],
    ["no credential", (l) => l.replace(/&X-Amz-Credential=[^&]+/, ""), "X-Amz-Credential must end"],
    ["another region", (l) => l.replace("local", "eu-west-1"), "X-Amz-Credential must name the region local"],
    ["another service", (l) => l.replace("%2Fs3%2F", "%2Fec2%2F"), "X-Amz-Credential must end"],
    ["another day", (l) => l.replace("%2F20260131%2F", "%2F20260130%2F"), "X-Amz-Credential must name the day"],
    ["no date", (l) => l.replace(/&X-Amz-Date=\w+/, ""), "X-Amz-Date must be"],
    ["an invalid date", (l) => l.replace("T235930Z", "T245961Z"), "X-Amz-Date must be"],
    ["no expiry", (l) => l.replace("&X-Amz-Expires=900", ""), "X-Amz-Expires must be"],
    ["an expiry of zero", (l) => l.replace("Expires=900", "Expires=0"), "X-Amz-Expires must be"],
    ["a negative expiry", (l) => l.replace("Expires=900", "Expires=-1"), "X-Amz-Expires must be"],
    ["an expiry of more than a week", (l) => l.replace("Expires=900", "Expires=604801"), "X-Amz-Expires must be"],
    [
      "other signed headers",
      (l) => l.replace("SignedHeaders=host", "SignedHeaders=host%3Brange"),
      "X-Amz-SignedHeaders",
    ],
  ])("refuses malformed parameters: %s", (_, change, expected) => {
    expect(judge(change(link))).toContain(`AuthorizationQueryParametersError: ${expected}`);
  });

  it.each([
    ["a duplicate parameter", `${link}&x-id=GetObject`],
    ["a broken escape", link.replace("b%20c", "b%2c%")],
    ["invalid UTF-8", link.replace("b%20c", "%ff")],
  ])("refuses a malformed target: %s", (_, changed) => {
    expect(judge(changed)).toBe("InvalidURI");
  });

  it("refuses another method, host or access key, and a second kind of authorization", () => {
    expect(judge(link, { method: "HEAD" })).toBe("SignatureDoesNotMatch");
    expect(judge(link, { host: "objects.example.com" })).toBe("SignatureDoesNotMatch");
    expect(judge(link.replace("dbdepot", "unknown"))).toBe("InvalidAccessKeyId");
    expect(judge(link, { authorization: true })).toBe("InvalidArgument: Only one auth mechanism allowed");
    expect(judge("http://h/a", { authorization: true })).toBe("AccessDenied");
    expect(judge("http://h/a")).toBe("AccessDenied");
  });
});

describe("links of a store", () => {
  const authority = { credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" }, region: "eu-west-1" };
  const terms = { ttlSeconds: 900, filename: "vpn_ip_v1.mmdb", contentType: "application/octet-stream" };
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);

  it("are signed anew for another second, file, name, type, time to live and method", () => {
    const link = linkSigner({ origin: "https://files.example.com", basePath: "/" }, authority);
    const first = link("a/b", { ...terms, now: at(0) });
    expect(link("a/b", { ...terms, now: at(999) })).toBe(first);
    const others = [
      link("a/c", { ...terms, now: at(1) }),
      link("a/b", { ...terms, now: at(2), filename: "other.mmdb" }),
      link("a/b", { ...terms, now: at(3), contentType: "text/csv" }),
      link("a/b", { ...terms, now: at(4), ttlSeconds: 60 }),
      link("a/b", { ...terms, now: at(5), method: "HEAD" }),
      link("a/b", { ...terms, now: at(1000) }),
    ];
    expect(new Set([first, ...others]).size).toBe(others.length + 1);
    expect(link("a/b", { ...terms, now: at(0) })).toBe(first);
  });
});
