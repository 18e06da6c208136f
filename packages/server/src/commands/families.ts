import { type Command, examples, UsageError } from "@dbdepot/terminal/command";
import { formatDay } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import { addFamily, updateFamily } from "../domain/catalogue/catalogue.ts";
import type { Family } from "../domain/catalogue/family.ts";
import { familyToWire } from "../domain/catalogue/wire.ts";
import { addArchiveCommands } from "./archiving.ts";
import type { Run } from "./context.ts";

export function addFamilyCommands(program: Command, run: Run): void {
  const families = program.command("families").description("Manage database families");

  families
    .command("add")
    .description("Add a database family")
    .argument("<family>", "family name, like vpn_ip")
    .requiredOption("--name <name>", 'display name, like "VPN IP"')
    .option("--private", "hide it from organizations that never held a licence for it")
    .option("--open", "let every key with the scope db.download download it, without a licence")
    .addHelpText("after", examples('dbdepot-server families add vpn_ip --name "VPN IP"'))
    .action(
      run(async ({ output, operation }, base, { name, private: isPrivate, open = false }) => {
        const visibility = isPrivate ? "private" : "public";
        return resultOf(output, await addFamily(await operation(), { base, name, visibility, open }));
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
            ["FAMILY", "NAME", "VISIBILITY", "OPEN", "CREATED", "ARCHIVED"],
            families.map(({ base, name, visibility, created, archived, open }) => [
              base,
              name,
              visibility,
              open ? "yes" : null,
              formatDay(created),
              archived && formatDay(archived),
            ]),
            "No families yet.",
          ),
        };
      }),
    );

  families
    .command("update")
    .description("Change the name or visibility of a family, or whether it is open")
    .argument("<family>", "family name, like vpn_ip")
    .option("--name <name>", 'display name, like "VPN IP"')
    .option("--public", "show it to every organization")
    .option("--private", "hide it from organizations that never held a licence for it")
    .option("--open", "let every key with the scope db.download download it, without a licence")
    .option("--no-open", "require a licence again")
    .action(
      run(async ({ output, operation }, base, { name, public: isPublic, private: isPrivate, open }) => {
        if (isPublic && isPrivate) throw new UsageError("choose either --public or --private");
        const visibility = isPrivate ? "private" : isPublic ? "public" : undefined;
        if (name === undefined && visibility === undefined && open === undefined) {
          throw new UsageError("nothing to change: give --name, --public, --private, --open or --no-open");
        }
        return resultOf(output, await updateFamily(await operation(), base, { name, visibility, open }));
      }),
    );

  addArchiveCommands(families, run, {
    argument: ["<family>", "family name, like vpn_ip"],
    archive: "Hide a family from customers and stop its downloads",
    unarchive: "Make an archived family available again",
    note: "Nothing is deleted. Existing download links work until they expire.",
    update: updateFamily,
    result: resultOf,
  });
}

function resultOf(output: Output, family: Family) {
  const { base, name, visibility, archived, open } = family;
  return {
    json: familyToWire(family),
    text: output.details({
      family: base,
      name,
      visibility,
      ...(open && { open: "yes" }),
      ...(archived && { archived }),
    }),
  };
}
