import { beforeAll, describe, expect, it } from "vitest";
import { engines } from "../engines.ts";
import { runCommand, terminalOn } from "./terminal.ts";

for (const engine of engines) {
  describe(`dbdepot-server keys on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    beforeAll(() => terminal.json("orgs", "add", "Acme"));

    it("refuses to create more live keys than an organization can have", async () => {
      const environment = { ...terminal.environment, DBDEPOT_MAX_KEYS_PER_ORGANIZATION: "1" };
      const create = () => runCommand(["keys", "create", "--name", "ci", "--org", "Acme"], environment);
      expect((await create()).exitCode).toBe(0);
      expect(await create()).toEqual({
        exitCode: 1,
        out: "",
        err: "dbdepot-server keys create: the organization already has 1 live keys: revoke one, or raise DBDEPOT_MAX_KEYS_PER_ORGANIZATION\n",
      });
    });
  });
}
