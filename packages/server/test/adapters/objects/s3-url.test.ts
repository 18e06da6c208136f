import { describe, expect, it } from "vitest";
import { linkTarget, parseS3Url } from "../../../src/adapters/objects/s3-url.ts";

const PLAIN = { prefix: "", endpoint: undefined, pathStyle: false, conditionalWrites: true };

describe("parseS3Url", () => {
  it.each([
    ["s3://files?region=eu-west-1", { ...PLAIN, bucket: "files", region: "eu-west-1" }],
    ["s3://files/?region=eu-west-1", { ...PLAIN, bucket: "files", region: "eu-west-1" }],
    ["s3://files/a/b?region=eu-west-1", { ...PLAIN, bucket: "files", region: "eu-west-1", prefix: "a/b" }],
    ["s3://files/a/b/?region=eu-west-1", { ...PLAIN, bucket: "files", region: "eu-west-1", prefix: "a/b" }],
    ["s3://files/a%20b/ü?region=eu-west-1", { ...PLAIN, bucket: "files", region: "eu-west-1", prefix: "a b/ü" }],
    [
      "s3://files?endpoint=http://127.0.0.1:9000/&pathStyle=true&conditionalWrites=false",
      {
        ...PLAIN,
        bucket: "files",
        region: "us-east-1",
        endpoint: "http://127.0.0.1:9000",
        pathStyle: true,
        conditionalWrites: false,
      },
    ],
    [
      "s3://files?region=auto&endpoint=https%3A%2F%2Faccount.r2.cloudflarestorage.com&pathStyle=false",
      { ...PLAIN, bucket: "files", region: "auto", endpoint: "https://account.r2.cloudflarestorage.com" },
    ],
  ])("parses %s", (text, expected) => {
    expect(parseS3Url(text)).toEqual(expected);
  });

  it.each([
    ["files", "must be like s3://bucket/prefix?region=eu-west-1"],
    ["https://files", "must be like s3://bucket/prefix?region=eu-west-1"],
    ["s3:files?region=a", "must be like s3://bucket/prefix?region=eu-west-1"],
    ["s3:///a?region=eu-west-1", "the bucket is missing"],
    ["s3://files", "region is missing"],
    ["s3://files?region=", "region is missing"],
    ["s3://files?region=eu west", '"eu west" is not a region'],
    ["s3://a?region=eu-west-1", '"a" is not a valid bucket name'],
    ["s3://files:80?region=eu-west-1", '"files:80" is not a valid bucket name'],
    ["s3://files/a//b?region=eu-west-1", '"/a//b" is not a valid prefix'],
    ["s3://files/%ff?region=eu-west-1", '"/%ff" is not a valid prefix'],
    ["s3://files?endpoint=ftp://x", "endpoint must be like https://s3.example.com"],
    ["s3://files?endpoint=s3.example.com", "endpoint must be like https://s3.example.com"],
    ["s3://files?endpoint=", "endpoint must be like https://s3.example.com"],
    ["s3://files?region=eu-west-1&pathStyle=yes", "pathStyle must be true or false"],
    ["s3://files?region=eu-west-1&region=eu-west-2", "region appears twice"],
    ["s3://files?region=eu-west-1#x", "# must be written as %23"],
    [
      "s3://files?region=eu-west-1&regoin=x",
      'unknown parameter "regoin" (known: region, endpoint, pathStyle, conditionalWrites)',
    ],
  ])("refuses %s", (text, expected) => {
    expect(() => parseS3Url(text)).toThrow(new Error(expected));
  });

  it("reports all problems without repeating the secret in the URL", () => {
    const fault =
      "put the credentials into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead; " +
      '"/a//b" is not a valid prefix; region is missing; pathStyle must be true or false';
    expect(() => parseS3Url("s3://key:secret@files/a//b?pathStyle=1")).toThrow(new Error(fault));
  });
});

describe("linkTarget", () => {
  it.each([
    ["s3://files/p?region=eu-west-1", "https://files.s3.eu-west-1.amazonaws.com", "/p/"],
    ["s3://my.files?region=eu-west-1", "https://s3.eu-west-1.amazonaws.com", "/my.files/"],
    ["s3://files?region=cn-north-1", "https://files.s3.cn-north-1.amazonaws.com.cn", "/"],
    ["s3://files/p?endpoint=https://s3.example.com&pathStyle=true", "https://s3.example.com", "/files/p/"],
    ["s3://files?endpoint=http://s3.example.com:9000", "http://files.s3.example.com:9000", "/"],
    ["s3://files?endpoint=http://[::1]:9000", "http://[::1]:9000", "/files/"],
  ])("sends links of %s to %s%s", (text, origin, basePath) => {
    expect(linkTarget(parseS3Url(text))).toEqual({ origin, basePath });
  });
});
