import { ROLES, type Role } from "@dbdepot/contract/console/accounts";
import type { Route } from "../../packages/server/src/http/route.ts";
import type { Random } from "../harness/random.ts";
import type { Demo } from "../harness/server.ts";

/** The identity that a request claims. */
export interface Caller {
  name: string;
  headers: Record<string, string>;
  /** The value of the `apikey` parameter. */
  apikey?: string;
}

interface Person {
  role: Role;
  email: string;
  cookie: string;
}

const OPERATOR_SCOPES: readonly string[] = ["operator.read", "operator.write", "builds.publish"];
/** Differs from the example in the contract, which requests contain, so that no request changes it. */
const PASSWORD = "fuzz passphrase that no request contains";
/** Keeps sign-ins by fuzzed requests from counting against ours. */
const OWN_ADDRESS = "2001:db8::1";
/** The requests do not touch this customer, so its downloads must always succeed. */
export const STEADY = { organization: "Steady", family: "tor_ip", version: "tor_ip_v1" } as const;

/** Every kind of caller, with credentials that the server must keep secret. */
export class Callers {
  readonly secrets = new Set<string>([PASSWORD]);
  /** Key of the customer whose latency is measured. */
  steadyKey = "";
  #origin: string;
  readonly #keys: { name: string; key: string; accountId: number | null }[] = [];
  readonly #people: Person[] = [];
  #legacy = "";

  private constructor(origin: string) {
    this.#origin = origin;
  }

  /** Creates an operator key, a customer that manages its keys, people of every role, and the steady customer. */
  static async create(origin: string, demo: Demo, operatorKey: string): Promise<Callers> {
    const callers = new Callers(origin);
    const post = <T>(path: string, body: object) => callers.#post<T>(path, operatorKey, body);
    callers.#addKey("operator key", operatorKey);
    callers.#legacy = demo.legacy;
    callers.secrets.add(demo.legacy);
    for (const { standing, key } of demo.customers) callers.#addKey(`${standing} customer`, key);
    const customer = demo.customers[0]?.organization ?? "";
    const scopes = ["db.download", "apikeys.manage"];
    const manager = await post<{ key: string }>("keys", { name: "manager", org: customer, allowed_scopes: scopes });
    callers.#addKey("customer that manages keys", manager.key);
    await post("organizations", { name: STEADY.organization });
    await post("licences", { org: STEADY.organization, base: STEADY.family, redistribution: "internal" });
    const steady = await post<{ key: string }>("keys", {
      name: "steady",
      org: STEADY.organization,
      allowed_scopes: ["db.download"],
    });
    callers.steadyKey = steady.key;
    callers.secrets.add(steady.key);
    for (const key of callers.#keys) key.accountId = await callers.#accountId(key.key);
    await callers.#addPeople(demo, customer);
    return callers;
  }

  /** Call it when the server has restarted on another port. */
  moveTo(origin: string): void {
    this.#origin = origin;
  }

  /** Keys that people paste into the wrong place. */
  keys(): string[] {
    return this.#keys.map(({ key }) => key);
  }

  /** Usually picks a caller that the route accepts. */
  pick(random: Random, route: Route): Caller {
    return (random.chance(0.6) && this.#allowed(random, route)) || this.#any(random);
  }

  #allowed(random: Random, route: Route): Caller | undefined {
    if (route.scope === "public") return undefined;
    if (route.scope === "v1 key") return { name: "v1 key", headers: {}, apikey: this.#legacy };
    if (route.scope === "account") {
      return this.#person(random, random.pick(this.#people.filter(({ role }) => route.roles.includes(role))));
    }
    const name = OPERATOR_SCOPES.includes(route.scope) ? "operator key" : "customer that manages keys";
    return { name, headers: { authorization: `Bearer ${this.#keys.find((it) => it.name === name)?.key}` } };
  }

  #any(random: Random): Caller {
    const kind = random.integer(0, 9);
    if (kind === 0) return { name: "nobody", headers: {} };
    if (kind === 1) return this.#garbage(random);
    if (kind === 2) return { name: "v1 key", headers: {}, apikey: this.#legacy };
    if (kind <= 5) return this.#person(random, random.pick(this.#people));
    return this.#withKey(random);
  }

  /** Signs in people again whose sessions have ended. */
  async refresh(): Promise<void> {
    for (const person of this.#people) {
      const { account } = await this.#json<{ account: unknown }>("GET", "/api/console/session", person.cookie);
      if (account !== null) continue;
      const credentials = { email: person.email, password: PASSWORD };
      // If it fails, for example because sign-ins are throttled, the next refresh tries again.
      const cookie = await this.#cookie("/api/console/session", credentials).catch(() => undefined);
      if (cookie === undefined) continue;
      person.cookie = cookie;
      this.secrets.add(cookie.split("=")[1] ?? "");
    }
  }

  #withKey(random: Random): Caller {
    const { name, key, accountId } = random.pick(this.#keys);
    const basic = Buffer.from(`${accountId}:${key}`).toString("base64");
    return random.pick<Caller>([
      { name, headers: { authorization: `Bearer ${key}` } },
      { name, headers: { authorization: `Bearer ${key}` } },
      { name, headers: { "x-api-key": key } },
      { name, headers: {}, apikey: key },
      { name, headers: { authorization: `Basic ${basic}` } },
    ]);
  }

  #person(random: Random, { role, cookie }: Person): Caller {
    const isOwnPage = random.chance(0.9);
    return { name: role, headers: { cookie, "sec-fetch-site": isOwnPage ? "same-origin" : "cross-site" } };
  }

  #garbage(random: Random): Caller {
    const { key } = random.pick(this.#keys);
    const authorization = random.pick([
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key}${key}`,
      `Bearer ${random.uuid()}`,
      "Bearer",
      "Basic",
      "Basic ====",
      `Basic ${random.bytes(20).toString("base64")}`,
      `Bearer ${"x".repeat(8000)}`,
    ]);
    return { name: "garbage", headers: { authorization, cookie: `dbdepot_session=${random.uuid()}; ;=;;a` } };
  }

  #addKey(name: string, key: string): void {
    this.#keys.push({ name, key, accountId: null });
    this.secrets.add(key);
  }

  /** The user name for HTTP Basic. */
  async #accountId(key: string): Promise<number | null> {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${this.#origin}/api/v1/iam/identity`, { headers });
    return ((await response.json()) as { account_id: number | null }).account_id;
  }

  async #addPeople(demo: Demo, organization: string): Promise<void> {
    const accept = { token: tokenOf(demo.operatorLink), password: PASSWORD };
    const operator = await this.#cookie("/api/console/links/accept", accept);
    this.secrets.add(operator.split("=")[1] ?? "");
    for (const role of ROLES) {
      const email = `${role}@fuzz.example`;
      const invitation = await this.#json<{ link: string }>("POST", "/api/console/accounts", operator, {
        email,
        role,
        ...(!role.startsWith("operator") && { organization }),
      });
      const token = tokenOf(invitation.link);
      const cookie = await this.#cookie("/api/console/links/accept", { token, password: PASSWORD });
      this.secrets.add(token).add(cookie.split("=")[1] ?? "");
      this.#people.push({ role, email, cookie });
    }
  }

  async #cookie(path: string, body: object): Promise<string> {
    const response = await fetch(this.#origin + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": OWN_ADDRESS },
      body: JSON.stringify(body),
    });
    const cookie = response.headers.getSetCookie()[0]?.split(";")[0];
    if (!cookie) throw new Error(`POST ${path} returned ${response.status} ${await response.text()}`);
    await response.body?.cancel();
    return cookie;
  }

  async #json<T>(method: string, path: string, cookie: string, body?: object): Promise<T> {
    const response = await fetch(this.#origin + path, {
      method,
      headers: { cookie, "sec-fetch-site": "same-origin", ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  async #post<T>(path: string, key: string, body: object): Promise<T> {
    const response = await fetch(`${this.#origin}/api/operator/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} returned ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}

function tokenOf(link = ""): string {
  return link.split("#token=")[1] ?? "";
}
