import type { Role } from "@dbdepot/contract/console/accounts";
import type { Stage } from "../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../rigs/harness/service/test-service.ts";
import { seed } from "../../server/src/commands/demo/seed.ts";
import { inviteAccount } from "../../server/src/domain/accounts/accounts.ts";
import { linkUrl } from "../../server/src/domain/accounts/link.ts";
import { personOf } from "../../server/test/routes/console/person.ts";
import { emptyStage, seededStage } from "./seeded-stage.ts";

export const ORGANIZATION = "Demo Licensed";

/** A server with the demo's catalogue and customers. */
export interface Depot {
  running: TestService;
  url: string;
  /** The link that a new person gets by mail. */
  invite(email: string, role: Role, organization?: string): Promise<string>;
  /** The session cookie of a person who has accepted an invitation. */
  signedIn(email: string, role: Role, organization?: string): Promise<string | undefined>;
  dispose(): Promise<void>;
}

export async function startDepot(settings?: Record<string, string>): Promise<Depot> {
  return startDepotOn(await demoStage(), settings);
}

/** A stage that already contains the demo's data. */
export async function demoStage(): Promise<Stage> {
  const { stage } = await seededStage(emptyStage(), "demo", async (empty) => {
    const { service, operator, dispose } = await testService(empty);
    await seed({ operation: async () => operator.operation(), objects: service.services.objects }, () => {});
    await dispose();
  });
  return stage;
}

export async function startDepotOn(stage: Stage, settings?: Record<string, string>): Promise<Depot> {
  const running = await testService(stage, settings);
  const { service, operator } = running;
  return {
    running,
    url: service.apiUrl,
    async invite(email, role, organization) {
      const { token } = await inviteAccount(operator.operation(), undefined, { email, role, organization });
      return linkUrl(service.apiUrl, token.reveal());
    },
    signedIn: async (email, role, organization) => (await personOf(running, email, role, organization)).cookie,
    dispose: running.dispose,
  };
}
