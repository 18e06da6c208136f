import type { Download } from "@dbdepot/contract/v2/downloads";
import { expect } from "vitest";

/** A response with its complete body. Redirects are not followed. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the body it reads
  json: any;
}

export async function call(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, { redirect: "manual", ...init });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text ? JSON.parse(text) : undefined,
  };
}

/** A customer that calls the v2 API with its key. */
export class Customer {
  readonly apiUrl: string;
  readonly key: string;
  readonly organizationId: string;
  readonly keyId: string;

  constructor(apiUrl: string, key: string, ids: { organizationId: string; keyId: string }) {
    this.apiUrl = apiUrl;
    this.key = key;
    this.organizationId = ids.organizationId;
    this.keyId = ids.keyId;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return call(this.apiUrl + path, { headers: { authorization: `Bearer ${this.key}`, ...headers } });
  }

  list(): Promise<Reply> {
    return this.get("/api/v2/database/list");
  }

  download(id: string, format: string, more = ""): Promise<Reply> {
    return this.get(`/api/v2/database/download?id=${id}&format=${format}${more}`);
  }

  checksum(id: string, format: string, more = ""): Promise<Reply> {
    return this.get(`/api/v2/database/checksum?id=${id}&format=${format}${more}`);
  }

  metadata(id: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.get(`/api/v2/database/metadata?id=${id}`, headers);
  }

  async history(query = ""): Promise<Download[]> {
    const reply = await this.get(`/api/v2/database/downloads${query}`);
    expect(reply.status).toBe(200);
    return reply.json.downloads;
  }
}

/** Expects a body of exactly `{rc}` and a request id. */
export function expectRefusal(reply: Reply, status: number, rc: string): void {
  expect({ status: reply.status, body: reply.json }).toEqual({ status, body: { rc } });
  expect(reply.headers.get("x-request-id")).toMatch(/\S/);
}
