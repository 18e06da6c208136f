import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectRefusal, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { hashSecret } from "../../../src/domain/access/secret.ts";
import { updateAccount } from "../../../src/domain/accounts/accounts.ts";
import { createKeyAsCustomer } from "../../../src/domain/keys/changes-by-customer.ts";
import { PASSWORD, type Person, personOf, tokenOf } from "./person.ts";

type Member = Person & { id: string };

for (const stage of eitherStage()) {
  describe(`accounts on ${stage.name}`, () => {
    let test: TestService;
    let root: Member;
    let admin: Member;
    let colleague: Member;
    let foreigner: Member;
    let count = 0;
    beforeAll(async () => {
      test = await testService(stage);
      await test.operator.customer("Acme");
      await test.operator.customer("Globex");
      root = await personOf(test, "root@example.com", "operator");
      admin = await personOf(test, "admin@example.com", "admin", "Acme");
      foreigner = await personOf(test, "foreigner@example.com", "viewer", "Globex");
    });
    beforeEach(async () => {
      count += 1;
      colleague = await personOf(test, `colleague${count}@example.com`, "viewer", "Acme");
    });
    afterAll(() => test.dispose());

    const emails = async (person: Person, query = "") =>
      (await person.get(`/api/console/accounts${query}`)).json.accounts.map(({ email }: { email: string }) => email);
    const patch = (person: Person, id: string, body: object) =>
      person.send("PATCH", `/api/console/accounts/${id}`, { body });

    it("are listed for operators in pages and by organization, and for admins of their own only", async () => {
      const own = ["admin@example.com", "colleague1@example.com"];
      expect(await emails(root)).toEqual([...own, "foreigner@example.com", "root@example.com"]);
      expect(await emails(root, "?org=Globex")).toEqual(["foreigner@example.com"]);
      expect(await emails(admin)).toEqual(own);
      expect(await emails(admin, "?org=Globex")).toEqual(own);
      const page = await root.get("/api/console/accounts?limit=3");
      const [, next = ""] = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "") ?? [];
      expect((await root.get(next)).json.accounts).toHaveLength(1);
      expect((await root.get("/api/console/accounts?organisation=Globex")).json).toEqual({
        rc: "INVALID_REQUEST",
        message: 'unknown "organisation"',
      });
      expect((await root.get("/api/console/accounts?org=Nobody")).json.rc).toBe("NOT_FOUND");
    });

    it("are invited by admins into their own organization only", async () => {
      const invite = (body: object) =>
        admin.post("/api/console/accounts", { email: `new${count}@example.com`, ...body });
      for (const body of [
        { role: "operator" },
        { role: "operator_viewer" },
        { role: "viewer", organization: "Globex" },
      ]) {
        expect([(await invite(body)).json.rc, body]).toEqual(["INVALID_REQUEST", body]);
      }
      const invited = await invite({ role: "admin" });
      expect(invited.json.account).toMatchObject({ role: "admin", organization: { name: "Acme" }, state: "invited" });
    });

    it("are invited with the same response whether other organizations and accounts exist or not", async () => {
      const invite = (body: object) => admin.post("/api/console/accounts", { role: "viewer", ...body });
      const replies = [];
      for (const organization of ["Globex", "Nobody"]) {
        replies.push((await invite({ email: `same${count}@example.com`, organization })).json);
      }
      expect(replies[0]).toEqual({
        rc: "INVALID_REQUEST",
        message: "you can invite people to your own organization only",
      });
      expect(replies[1]).toEqual(replies[0]);
      const own = await invite({ email: `same${count}@example.com`, organization: " Acme" });
      const shape = ({ status, json }: Reply) => ({
        status,
        json: { ...json, link: tokenOf({ json } as Reply).length, account: { ...json.account, id: "", email: "" } },
      });
      for (const email of ["foreigner@example.com", "root@example.com"]) {
        const taken = await invite({ email });
        expect(shape(taken)).toEqual(shape(own));
        expect(taken.json.account.email).toBe(email);
        // The link is useless, and the account is unchanged.
        const body = { token: tokenOf(taken), password: PASSWORD };
        expect((await admin.post("/api/console/links/accept", body)).status).toBe(410);
        const { entries } = (await root.get(`/api/operator/audit?subject=${email}&limit=1`)).json;
        expect(entries[0]).toMatchObject({ action: "account.invitation_refused", actor: "account:admin@example.com" });
      }
      expect(await foreigner.isSignedIn()).toBe(true);
      expect((await invite({ email: colleague.email })).json.rc).toBe("CONFLICT");
    });

    it("are moved by operators, and the person needs a new link", async () => {
      const move = (person: Person, id: string, organization: string) =>
        person.post(`/api/console/accounts/${id}/move`, { organization });
      expectRefusal(await move(admin, colleague.id, "Globex"), 401, "UNAUTHORIZED");
      expect((await move(root, colleague.id, "Nobody")).json.rc).toBe("NOT_FOUND");
      expect((await move(root, colleague.id, "Acme")).json.rc).toBe("CONFLICT");
      expect((await move(root, root.id, "Acme")).json.rc).toBe("INVALID_REQUEST");
      const open = tokenOf(await root.post(`/api/console/accounts/${colleague.id}/link`));
      const moved = await move(root, colleague.id, "Globex");
      expect(moved.json).toMatchObject({ id: colleague.id, role: "viewer", organization: { name: "Globex" } });
      expect(await emails(admin)).not.toContain(colleague.email);
      expect(await colleague.isSignedIn()).toBe(false);
      // Someone else may have accepted the invitation, so neither the password nor the link works any more.
      expectRefusal(await colleague.signIn(), 401, "INVALID_CREDENTIALS");
      expect((await root.post("/api/console/links/inspect", { token: open })).status).toBe(410);
      const token = tokenOf(await root.post(`/api/console/accounts/${colleague.id}/link`));
      const accepted = await colleague.post("/api/console/links/accept", { token, password: PASSWORD });
      expect(accepted.json.account.organization.name).toBe("Globex");
      const { entries } = (await root.get(`/api/operator/audit?subject=${colleague.id}&action=account.moved`)).json;
      expect(entries).toHaveLength(1);
    });

    it("are deleted by operators, and their address can be invited again", async () => {
      const remove = (person: Person, id: string) => person.send("DELETE", `/api/console/accounts/${id}`);
      expectRefusal(await remove(admin, colleague.id), 401, "UNAUTHORIZED");
      expect((await remove(root, root.id)).json.rc).toBe("CONFLICT");
      await root.post(`/api/console/accounts/${colleague.id}/link`);
      expect((await remove(root, colleague.id)).status).toBe(204);
      expect(await emails(root)).not.toContain(colleague.email);
      expect(await colleague.isSignedIn()).toBe(false);
      expectRefusal(await colleague.signIn(), 401, "INVALID_CREDENTIALS");
      expect((await remove(root, colleague.id)).json.rc).toBe("NOT_FOUND");
      const { entries } = (await root.get(`/api/operator/audit?subject=${colleague.id}&limit=1`)).json;
      expect(entries[0]).toMatchObject({ action: "account.deleted", before: { email: colleague.email } });
      const again = { email: colleague.email, role: "viewer", organization: "Globex" };
      expect((await root.post("/api/console/accounts", again)).status).toBe(200);
    });

    it("are refused with a reason if the invitation makes no sense", async () => {
      for (const [body, rc, message] of [
        [
          { email: "root@example.com", role: "operator" },
          "CONFLICT",
          "there is already an account for root@example.com",
        ],
        [
          { email: " ROOT@example.com", role: "operator" },
          "CONFLICT",
          "there is already an account for root@example.com",
        ],
        [{ email: "no address", role: "operator" }, "INVALID_REQUEST", '"no address" is not an e-mail address'],
        [{ email: "a@b, c@d", role: "operator" }, "INVALID_REQUEST", '"a@b, c@d" is not an e-mail address'],
        [{ email: "x@example.com", role: "admin" }, "INVALID_REQUEST", "the role admin needs an organization"],
        [{ email: "x@example.com", role: "admin", organization: "Nobody" }, "NOT_FOUND", "there is no organization"],
        [
          { email: "x@example.com", role: "operator", organization: "Acme" },
          "INVALID_REQUEST",
          "belongs to no organization",
        ],
        [{ email: "x@example.com", role: "king" }, "INVALID_REQUEST", "role must be one of"],
      ] as const) {
        const reply = await root.post("/api/console/accounts", body);
        expect(reply.json).toEqual({ rc, message: expect.stringContaining(message) });
      }
    });

    it("of others do not exist for admins", async () => {
      for (const id of [root.id, foreigner.id, "0192aaaa-0000-7000-8000-000000000000", "x", "foreigner@example.com"]) {
        expect((await patch(admin, id, { disabled: true })).json.rc).toBe("NOT_FOUND");
        expect((await admin.post(`/api/console/accounts/${id}/link`)).json.rc).toBe("NOT_FOUND");
      }
      expect(await foreigner.isSignedIn()).toBe(true);
    });

    it("lose their sessions when they are disabled or get another role", async () => {
      expect((await patch(admin, colleague.id, { name: "Bob" })).json.name).toBe("Bob");
      expect(await colleague.isSignedIn()).toBe(true);
      expect((await patch(admin, colleague.id, { role: "admin" })).json.role).toBe("admin");
      expect(await colleague.isSignedIn()).toBe(false);
      await colleague.signIn();
      expect((await patch(root, colleague.id, { disabled: true })).json.state).toBe("disabled");
      expectRefusal(await colleague.get("/api/v2/database/list"), 401, "UNAUTHORIZED");
      expectRefusal(await colleague.signIn(), 401, "INVALID_CREDENTIALS");
      expect((await root.post(`/api/console/accounts/${colleague.id}/link`)).json.rc).toBe("CONFLICT");
      expect((await patch(root, colleague.id, { disabled: false })).json.state).toBe("active");
      expect((await colleague.signIn()).status).toBe(200);
    });

    it("cannot be promoted beyond the organization, nor change themselves", async () => {
      expect((await patch(admin, colleague.id, { role: "operator" })).json.rc).toBe("INVALID_REQUEST");
      expect((await patch(root, colleague.id, { role: "operator" })).json.rc).toBe("INVALID_REQUEST");
      expect((await patch(admin, admin.id, { role: "viewer" })).json.rc).toBe("CONFLICT");
      for (const own of [root.id, root.id.toUpperCase(), root.email]) {
        expect((await patch(root, own, { disabled: true })).json.rc).toBe("CONFLICT");
      }
      expect((await patch(admin, admin.id, { name: "Ada" })).status).toBe(200);
    });

    it("that were disabled a moment ago create no keys and manage no accounts", async () => {
      await patch(admin, colleague.id, { role: "admin" });
      await colleague.signIn();
      const sessionHash = hashSecret(colleague.cookie?.split("=")[1] ?? "");
      const operation = test.operator.operation();
      const request = { name: "late", scopes: ["db.download"], cidrs: [], expires: null };
      await createKeyAsCustomer(operation, { sessionHash }, request, undefined);
      await updateAccount(operation, undefined, colleague.id, { role: "viewer" });
      await expect(createKeyAsCustomer(operation, { sessionHash }, request, undefined)).rejects.toMatchObject({
        problem: "session_ended",
      });
      await expect(updateAccount(operation, sessionHash, foreigner.id, {})).rejects.toThrow("the session has ended");
      await colleague.signIn();
      const viewer = { sessionHash: hashSecret(colleague.cookie?.split("=")[1] ?? "") };
      await expect(createKeyAsCustomer(operation, viewer, request, undefined)).rejects.toMatchObject({
        problem: "lacks_role",
      });
    });
  });
}
