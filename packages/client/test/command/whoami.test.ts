import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { accountIdOf } from "../../../server/src/domain/access/account-id.ts";
import { Shell } from "./shell.ts";

for (const stage of eitherStage()) {
  describe(`whoami on ${stage.name}`, () => {
    let shell: Shell;
    beforeAll(async () => {
      shell = await Shell.open({}, stage);
    });
    afterAll(() => shell.dispose());

    it("shows the organization, the key and what it may do", async () => {
      const { organizationId, keyId, key } = shell.customer;
      const accountId = accountIdOf(organizationId);
      const prefix = key.slice(0, "dbd_12345678".length);
      expect(await shell.run("whoami")).toEqual({
        exitCode: 0,
        err: "",
        out: [
          `organization  Acme (${organizationId})`,
          `account       ${accountId}`,
          `key           ${prefix} "Acme's key"`,
          `id            ${keyId}`,
          "scopes        db.download, apikeys.manage",
          "cidrs         any",
          "expires       never",
          "",
        ].join("\n"),
      });
      expect(await shell.json(0, "whoami")).toEqual({
        rc: "SUCCESS",
        org: { id: organizationId, name: "Acme" },
        org_name: "Acme",
        service_name: "dbdepot",
        account_id: accountId,
        apikey_id: keyId,
        name: "Acme's key",
        key_prefix: prefix,
        allowed_cidrs: [],
        scopes: ["db.download", "apikeys.manage"],
        expires: null,
      });
    });

    it("works without any scope", async () => {
      const { key } = await shell.test.operator.colleague(shell.customer, { scopes: [] });
      const { out, exitCode } = await shell.runWith({ DBDEPOT_CLIENT_KEY: key }, "whoami");
      expect(exitCode).toBe(0);
      expect(out).toMatch(/^scopes +none$/m);
    });

    it("explains that a key was refused, and exits with 3", async () => {
      const { exitCode, out, err } = await shell.runWith({ DBDEPOT_CLIENT_KEY: "dbd_wrong" }, "whoami");
      expect({ exitCode, out }).toEqual({ exitCode: 3, out: "" });
      expect(err).toMatch(/^dbdepot whoami: .*401 UNAUTHORIZED.*\n$/);
    });
  });
}
