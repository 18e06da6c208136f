import type { Random } from "../harness/random.ts";
import { Api, type Reply, type RequestTerms } from "./api.ts";
import type { PreparedBuild } from "./builds.ts";
import { type Installation, ORGANIZATION } from "./installation.ts";
import { type Kind, type KnownSecret, type KnownVersion, Ledger } from "./ledger.ts";
import { findMixedBuilds } from "./mixed-builds.ts";

const DOWNLOADERS = 3;
const KEY_MANAGERS = 2;

/** Clients that use the service until it is killed and record its answers. */
export class Load {
  #ledger = new Ledger();
  readonly #random: Random;
  readonly #installation: Installation;
  readonly #origin: string;
  readonly #operator: Api;
  readonly #customer: Api;
  #isOver = false;
  #count = 0;

  constructor(origin: string, installation: Installation, random: Random) {
    this.#random = random;
    this.#origin = origin;
    this.#installation = installation;
    this.#operator = new Api(origin, installation.operatorKey);
    this.#customer = new Api(origin, installation.customerKey);
  }

  /** Starts all clients. Resolves after `end`, when each has its last answer or error. */
  async run(): Promise<Ledger> {
    this.#isOver = false;
    this.#ledger = new Ledger();
    await Promise.all([
      ...Array.from({ length: DOWNLOADERS }, () => this.#repeat(() => this.#download())),
      ...Array.from({ length: KEY_MANAGERS }, () => this.#repeat(() => this.#manageKey())),
      this.#repeat(() => this.#grant()),
      ...this.#installation.versions.map((version) => this.#repeat(() => this.#publish(version))),
      this.#repeat(() => this.#compare()),
    ]);
    return this.#ledger;
  }

  end(): void {
    this.#isOver = true;
  }

  async #repeat(step: () => Promise<void>): Promise<void> {
    while (!this.#isOver) await step();
  }

  async #download(): Promise<void> {
    this.#count += 1;
    const userAgent = `chaos-${this.#count}`;
    const { id } = this.#random.pick(this.#installation.versions);
    const path = `/api/v2/database/download?id=${id}&format=${this.#random.pick(["csvgz", "mmdb"])}`;
    const reply = await this.#ask("download", this.#customer, path, { userAgent }, 302);
    if (reply) this.#ledger.downloads.push(userAgent);
  }

  /** Creates a key, rotates most of them, and revokes half. */
  async #manageKey(): Promise<void> {
    const url = "/api/v1/iam/apikeys";
    const created = await this.#ask("key created", this.#customer, url, { body: { name: "chaos" } });
    if (!created) return;
    let known = this.#remember(created);
    if (this.#random.next() < 0.8) {
      const rotate = { body: { overlap_seconds: 0 } };
      const rotated = await this.#ask("key rotated", this.#customer, `${url}/${known.keyId}/rotate`, rotate);
      known.state = rotated ? "refused" : "unknown";
      if (!rotated) return;
      known = this.#remember(rotated);
    }
    if (this.#random.next() < 0.5) return;
    const revoke = { method: "POST" };
    const revoked = await this.#ask("key revoked", this.#customer, `${url}/${known.keyId}/revoke`, revoke);
    known.state = revoked ? "refused" : "unknown";
  }

  #remember({ body }: Reply): KnownSecret {
    const { id, key } = JSON.parse(body.toString());
    const known: KnownSecret = { keyId: id, secret: key, state: "works" };
    this.#ledger.secrets.push(known);
    return known;
  }

  async #compare(): Promise<void> {
    const { id } = this.#random.pick(this.#installation.versions);
    this.#ledger.unexpected.push(...(await findMixedBuilds(this.#origin, this.#installation.customerKey, id)));
    this.#ledger.comparisons += 1;
  }

  async #grant(): Promise<void> {
    const body = { org: ORGANIZATION, base: "vpn_ip", redistribution: "internal" };
    const reply = await this.#ask("licence granted", this.#operator, "/api/operator/licences", { body });
    if (reply) this.#ledger.licences.push(JSON.parse(reply.body.toString()).id);
  }

  async #publish(version: KnownVersion): Promise<void> {
    const prepared = this.#random.pick(this.#installation.builds.get(version.id) as PreparedBuild[]);
    const url = "/api/operator/builds";
    const staged = await this.#ask(null, this.#operator, `${url}?version=${version.id}`, { body: prepared.document });
    if (!staged) return;
    const { id } = JSON.parse(staged.body.toString());
    for (const [format, body] of Object.entries(prepared.files)) {
      const upload = { method: "PUT", body };
      if (!(await this.#ask(null, this.#operator, `${url}/${id}/files/${format}`, upload))) return;
    }
    version.digests.set(id, prepared.digests);
    version.unanswered.push(id);
    const publish = { body: { force: true, keep: 3 } };
    if (!(await this.#ask("publication", this.#operator, `${url}/${id}/publish`, publish))) return;
    version.current = id;
    version.unanswered = [];
  }

  /** Returns the answer, or undefined if there was none or it was 503. */
  async #ask(
    kind: Kind | null,
    api: Api,
    path: string,
    terms: RequestTerms,
    expected = 200,
  ): Promise<Reply | undefined> {
    let reply: Reply;
    try {
      reply = await api.send(path, terms);
    } catch {
      this.#ledger.unanswered += 1;
      return undefined;
    }
    if (reply.status === expected) {
      if (kind) this.#ledger.answered[kind] += 1;
      return reply;
    }
    if (reply.status === 503) this.#ledger.refused += 1;
    else this.#ledger.unexpected.push(`${path}: ${reply.status} ${reply.body}`);
    return undefined;
  }
}
