import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bucketOpener } from "../../../src/adapters/objects/bucket.ts";
import type { Bucket, BucketError } from "../../../src/domain/destinations/bucket.ts";
import type { Access } from "../../../src/domain/destinations/destination.ts";
import { Secrets } from "../../../src/domain/destinations/secrets.ts";

const PART = 8 * 1024 * 1024;
const FILE = Buffer.alloc(PART + 1000, "x");
const UPLOADED = {
  path: "some_v1/file.mmdb",
  sizeBytes: FILE.length,
  sha256: createHash("sha256").update(FILE).digest("hex"),
};

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

const md5 = (body: Buffer) => createHash("md5").update(body).digest("hex");
const xml = (text: string) => `<?xml version="1.0"?>${text}`;
const errorBody = (code: string) =>
  xml(`<Error><Code>${code}</Code><Message>no ${"secret".repeat(3)}</Message></Error>`);

/** What a storage does that works. */
const works: Answer = (request, response, body) => {
  const { search } = new URL(request.url ?? "", "http://x");
  if (request.method === "POST" && search.includes("uploads")) {
    return response.end(xml("<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"));
  }
  if (request.method === "POST") {
    return response.end(xml("<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>"));
  }
  if (request.method === "DELETE") return response.writeHead(204).end();
  return response.setHeader("etag", `"${md5(body)}"`).end();
};

describe("A bucket on a hostile endpoint", () => {
  const server = createServer((request, response) => void handle(request, response));
  let answer: Answer;
  let requests: string[];
  let timeoutMs: number;
  beforeEach(async () => {
    answer = works;
    requests = [];
    timeoutMs = 30_000;
    if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
  });
  afterEach(async () => {
    server.closeAllConnections();
    if (server.listening) await once(server.close(), "close");
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push(`${request.method} ${request.url}`);
    response.on("error", () => {});
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
      answer(request, response, Buffer.concat(chunks));
    } catch {
      // The client has given up.
    }
  }

  function open(privateNetworks = ["127.0.0.0/8"], access: Access = { way: "vendor" }): Promise<Bucket> {
    const opener = bucketOpener({
      privateNetworks,
      secrets: new Secrets(undefined),
      credentials: { accessKeyId: "id", secretAccessKey: "topsecret" },
      externalIdOf: async (organizationId) => `external id of ${organizationId}`,
      timeouts: { small: timeoutMs, part: timeoutMs },
    });
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const place = { bucket: "acme-data", prefix: "in", region: "us-east-1", endpoint };
    return opener({ id: "1", organizationId: "2", place, access, encryption: null });
  }

  async function* body() {
    yield FILE;
  }

  async function problemOf(work: (bucket: Bucket) => Promise<unknown>): Promise<[string, string]> {
    const bucket = await open();
    try {
      await work(bucket);
      return ["none", ""];
    } catch (error) {
      const { problem, message } = error as BucketError;
      expect(message).not.toMatch(/topsecret|secretsecret/);
      return [problem, message];
    } finally {
      bucket.close();
    }
  }

  const upload = (bucket: Bucket) => bucket.upload(UPLOADED, body(), new AbortController().signal);
  const write = (bucket: Bucket) => bucket.write("latest.json", "{}", "application/json");

  it("is written to in parts, and in one request if it is small", async () => {
    expect(await problemOf(upload)).toEqual(["none", ""]);
    expect(await problemOf(write)).toEqual(["none", ""]);
    expect(requests.map((request) => request.replace(/\?.*/, ""))).toEqual([
      "POST /acme-data/in/some_v1/file.mmdb",
      "PUT /acme-data/in/some_v1/file.mmdb",
      "PUT /acme-data/in/some_v1/file.mmdb",
      "POST /acme-data/in/some_v1/file.mmdb",
      "PUT /acme-data/in/latest.json",
    ]);
  });

  it("is not connected to at a private address, unless that is allowed", async () => {
    await expect(open([])).rejects.toMatchObject({ problem: "address" });
    expect(requests).toEqual([]);
  });

  it("is opened with a role, for which the external id of the organization is sent", async () => {
    const role = { way: "role", roleArn: "arn:aws:iam::210987654321:role/dbdepot" } as const;
    const asked: URLSearchParams[] = [];
    const signers: string[] = [];
    const keys =
      "<AccessKeyId>temporary</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>";
    const expires = `<Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration>`;
    const granted = `<AssumeRoleResult><Credentials>${keys}${expires}</Credentials></AssumeRoleResult>`;
    answer = (request, response, sent) => {
      if (request.method !== "POST") {
        signers.push(/Credential=([^/]+)/.exec(request.headers.authorization ?? "")?.[1] ?? "");
        return works(request, response, sent);
      }
      asked.push(new URLSearchParams(sent.toString()));
      return response.end(
        `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${granted}</AssumeRoleResponse>`,
      );
    };
    const bucket = await open(undefined, role);
    await write(bucket);
    await write(bucket);
    bucket.close();
    expect(signers).toEqual(["temporary", "temporary"]);
    expect(asked.map((each) => [each.get("RoleArn"), each.get("ExternalId")])).toEqual([
      [role.roleArn, "external id of 2"],
    ]);
    answer = (_request, response) => {
      const body =
        "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>";
      response.writeHead(403, { "content-type": "text/xml" }).end(body);
    };
    const refused = await open(undefined, role);
    await expect(write(refused)).rejects.toMatchObject({ problem: "role" });
    refused.close();
  });

  it("does not lead anywhere else by a redirect", async () => {
    answer = (_request, response) => {
      response
        .writeHead(307, { location: `http://127.0.0.1:${(server.address() as AddressInfo).port}/elsewhere` })
        .end();
    };
    expect((await problemOf(write))[0]).toBe("region");
    expect(requests.filter((request) => request.includes("elsewhere"))).toEqual([]);
  });

  it("fails when it confirms other bytes than were sent, or nothing", async () => {
    answer = (request, response, sent) => works(request, response, sent.length > 0 ? Buffer.from("other") : sent);
    expect((await problemOf(upload))[0]).toBe("integrity");
    expect((await problemOf(write))[0]).toBe("integrity");
    expect(requests.some((request) => request.startsWith("DELETE"))).toBe(true);
    answer = (_request, response) => response.end();
    expect((await problemOf(write))[0]).toBe("integrity");
  });

  it("fails when it responds with 200 and an error", async () => {
    answer = (request, response, sent) => {
      if (request.method === "POST" && !request.url?.includes("uploads")) response.end(errorBody("InternalError"));
      else works(request, response, sent);
    };
    expect((await problemOf(upload))[0]).not.toBe("none");
  });

  it("fails when an object has another size than was written", async () => {
    answer = (_request, response) => response.writeHead(200, { "content-length": "7" }).end();
    expect((await problemOf((bucket) => bucket.check(UPLOADED)))[0]).toBe("integrity");
    answer = (_request, response) => response.writeHead(404).end();
    expect((await problemOf((bucket) => bucket.check(UPLOADED)))[0]).toBe("integrity");
  });

  it("fails when it never responds, or never ends", async () => {
    timeoutMs = 1000;
    answer = () => {};
    expect(await problemOf(write)).toEqual(["connection", "no response within 1 s"]);
    answer = (_request, response) => {
      response.writeHead(200, { etag: '"x"' });
      const send = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, "x")));
      };
      response.on("drain", send);
      send();
    };
    expect((await problemOf((bucket) => bucket.read("proof.txt", 1000)))[0]).toMatch(/response|connection/);
  });

  it.each([
    [403, "AccessDenied", "permission"],
    [403, "InvalidAccessKeyId", "credentials"],
    [403, "SignatureDoesNotMatch", "credentials"],
    [403, "RequestTimeTooSkewed", "clock"],
    [403, "QuotaExceeded", "space"],
    [400, "AuthorizationHeaderMalformed", "region"],
    [400, "KMS.DisabledException", "encryption"],
    [400, "BadDigest", "integrity"],
    [404, "NoSuchBucket", "bucket"],
    [507, "Full", "space"],
    [500, "InternalError", "response"],
    [418, "<script>", "response"],
  ])("explains %i %s as %s", async (status, code, problem) => {
    answer = (_request, response) =>
      response.writeHead(status, { "content-type": "application/xml" }).end(errorBody(code));
    const [found, message] = await problemOf(write);
    expect(found).toBe(problem);
    expect(message).not.toContain("<script>");
  });
});
