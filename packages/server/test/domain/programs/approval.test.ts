import type { Scope } from "@dbdepot/contract/shared/scopes";
import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { inviteAccount, updateAccount } from "../../../src/domain/accounts/accounts.ts";
import { moveAccount } from "../../../src/domain/accounts/operator-actions.ts";
import { addOrganization, updateOrganization } from "../../../src/domain/organizations/organizations.ts";
import { approverOf, newApproval } from "../../../src/domain/programs/approval.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { operatorOn } from "../organizations/operator.ts";

const SCOPES: Scope[] = ["db.download", "apikeys.manage"];

for (const engine of eitherEngine()) {
  describe(`approvals of programs on ${engine.name}`, () => {
    const { opened, operation, expectRefused } = operatorOn(engine);
    let count = 0;

    /** Somebody who has approved a program that may download and manage keys. */
    async function approver(role: "admin" | "operator") {
      count += 1;
      const organization = await addOrganization(operation(), `Acme ${count}`);
      const own = role === "admin" ? organization.id : undefined;
      const person = { email: `ada${count}@acme.example`, role, organization: own };
      const { id: accountId } = (await inviteAccount(operation(), undefined, person)).account;
      const approval = {
        accountId,
        organizationId: organization.id,
        scopes: SCOPES,
      };
      return {
        organization,
        accountId,
        holds: async () => (await approverOf(opened.store, approval))?.id === accountId,
      };
    }

    it("hold for people of the organization, and for operators", async () => {
      for (const role of ["admin", "operator"] as const) expect(await (await approver(role)).holds()).toBe(true);
      const unknown = { accountId: newId(new Date()), organizationId: newId(new Date()), scopes: [] };
      expect(await approverOf(opened.store, unknown)).toBeUndefined();
    });

    it("end when the person is disabled, gets fewer rights or moves, or the organization is archived", async () => {
      const changes: ((who: Awaited<ReturnType<typeof approver>>) => Promise<unknown>)[] = [
        ({ accountId }) => updateAccount(operation(), undefined, accountId, { isDisabled: true }),
        ({ accountId }) => updateAccount(operation(), undefined, accountId, { role: "viewer" }),
        async ({ accountId }) => {
          const { id } = await addOrganization(operation(), "Globex");
          await moveAccount(operation(), undefined, accountId, id);
        },
        ({ organization }) => updateOrganization(operation(), organization.id, { isArchived: true }),
      ];
      for (const change of changes) {
        const who = await approver("admin");
        await change(who);
        expect([change, await who.holds()]).toEqual([change, false]);
      }
    });

    it("are refused for a number of days that is not offered, and for another organization", async () => {
      const { organization, accountId } = await approver("admin");
      const other = await addOrganization(operation(), "Initech");
      const account = await opened.store.accounts.byId(accountId);
      if (!account) return expect.unreachable();
      const approve = (days: number, organizationId?: string) =>
        opened.store.change((tables) =>
          newApproval(tables, account, ["db.download"], { days, organization: organizationId }),
        );
      await expectRefused(() => approve(3650), "invalid", "the number of days must be one of 1, 7, 30");
      await expectRefused(() => approve(30, other.id), "invalid", "for your own organization only");
      const scopes = ["db.download"];
      for (const named of [undefined, organization.id]) {
        expect(await approve(30, named)).toEqual({ accountId, organizationId: organization.id, scopes, days: 30 });
      }
    });
  });
}
