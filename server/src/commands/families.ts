import { type Command, examples } from "@dbdepot/terminal/command";
import { addFamily } from "../catalogue/catalogue.ts";
import { familyToWire } from "../catalogue/wire.ts";
import type { Run } from "./context.ts";

export function addFamilyCommands(program: Command, run: Run): void {
  const families = program.command("families").description("Manage database families");

  families
    .command("add")
    .description("Add a database family, which licences are granted for")
    .argument("<family>", "family name, like vpn_ip")
    .requiredOption("--name <name>", 'display name, like "VPN IP"')
    .option("--private", "hide it from organizations that never held a licence for it")
    .addHelpText("after", examples('dbdepot-server families add vpn_ip --name "VPN IP"'))
    .action(
      run(async ({ output, operation }, base, { name, private: isPrivate }) => {
        const visibility = isPrivate ? "private" : "public";
        const family = await addFamily(await operation(), { base, name, visibility });
        return {
          json: familyToWire(family),
          text: output.details({ family: family.base, name: family.name, visibility }),
        };
      }),
    );

  families
    .command("list")
    .description("List the database families")
    .action(
      run(async ({ output, store }) => {
        const families = await (await store()).families.list();
        return {
          json: families.map(familyToWire),
          text: output.table(
            ["FAMILY", "NAME", "VISIBILITY", "CREATED"],
            families.map(({ base, name, visibility, created }) => [base, name, visibility, created]),
            "No families yet.",
          ),
        };
      }),
    );
}
