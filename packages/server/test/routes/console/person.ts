import type { Role } from "@dbdepot/contract/console/accounts";
import { expect } from "vitest";
import { call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import type { TestService } from "../../../../../rigs/harness/service/test-service.ts";
import { inviteAccount } from "../../../src/domain/accounts/accounts.ts";

export const PASSWORD = "correct horse battery staple";

interface Sending {
  body?: unknown;
  headers?: Record<string, string>;
}

/** Someone with a browser: keeps the session cookie, and sends what browsers send. */
export class Person {
  readonly apiUrl: string;
  readonly email: string;
  cookie: string | undefined;

  constructor(apiUrl: string, email: string, cookie?: string) {
    this.apiUrl = apiUrl;
    this.email = email;
    this.cookie = cookie;
  }

  async send(method: string, path: string, { body, headers = {} }: Sending = {}): Promise<Reply> {
    const reply = await call(this.apiUrl + path, {
      method,
      headers: {
        "sec-fetch-site": "same-origin",
        ...(this.cookie !== undefined && { cookie: this.cookie }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const [cookie] = reply.headers.getSetCookie();
    if (cookie !== undefined) this.cookie = cookie.split(";")[0];
    return reply;
  }

  get(path: string): Promise<Reply> {
    return this.send("GET", path);
  }

  post(path: string, body?: unknown): Promise<Reply> {
    return this.send("POST", path, { body });
  }

  signIn(password = PASSWORD): Promise<Reply> {
    return this.post("/api/console/session", { email: this.email, password });
  }

  /** Whether the cookie still belongs to a session. */
  async isSignedIn(): Promise<boolean> {
    return (await this.get("/api/console/session")).json.account !== null;
  }

  /** The same person in another browser. */
  async elsewhere(): Promise<Person> {
    const other = new Person(this.apiUrl, this.email);
    expect((await other.signIn()).status).toBe(200);
    return other;
  }
}

/** Invites a person, who accepts the invitation. */
export async function personOf(
  { service, operator }: TestService,
  email: string,
  role: Role,
  organization?: string,
): Promise<Person & { id: string }> {
  const invited = await inviteAccount(operator.operation(), undefined, { email, role, organization });
  const person = new Person(service.apiUrl, email);
  const body = { token: invited.token.reveal(), password: PASSWORD };
  const accepted = await person.post("/api/console/links/accept", body);
  expect(accepted.status).toBe(200);
  return Object.assign(person, { id: invited.account.id });
}

/** The token in a link of the API. */
export function tokenOf({ json }: Reply): string {
  return new URLSearchParams(new URL(json.link).hash.slice(1)).get("token") ?? "";
}
