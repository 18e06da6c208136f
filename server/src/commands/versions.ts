import { type Command, examples } from "@dbdepot/terminal/command";
import { parseList } from "@dbdepot/terminal/values";
import { addVersion, requireFamily } from "../catalogue/catalogue.ts";
import { versionToWire } from "../catalogue/wire.ts";
import type { Run } from "./context.ts";

export function addVersionCommands(program: Command, run: Run): void {
  const versions = program.command("versions").description("Manage the versions of families");

  versions
    .command("add")
    .description("Add a version to its family")
    .argument("<id>", "version, like vpn_ip_v1")
    .requiredOption("--summary <text>", "one line about what this version contains")
    .requiredOption("--formats <list>", "formats it is built in: csvgz, mmdb or csvgz,mmdb", parseList)
    .addHelpText(
      "after",
      examples('dbdepot-server versions add vpn_ip_v1 --summary "VPN exit addresses" --formats csvgz,mmdb'),
    )
    .action(
      run(async ({ output, operation }, id, { summary, formats }) => {
        const version = await addVersion(await operation(), { id, summary, formats });
        return {
          json: versionToWire(version),
          text: output.details({ version: version.id, summary: version.summary, formats: version.formats }),
        };
      }),
    );

  versions
    .command("list")
    .description("List versions, of all families or of one")
    .argument("[family]", "family name, like vpn_ip")
    .action(
      run(async ({ output, store: openStore }, base) => {
        const store = await openStore();
        if (base !== undefined) await requireFamily(store, base);
        const versions = await store.versions.list(base);
        return {
          json: versions.map(versionToWire),
          text: output.table(
            ["VERSION", "FORMATS", "CURRENT BUILD", "SUMMARY"],
            versions.map(({ id, formats, currentBuildId, summary }) => [id, formats, currentBuildId, summary]),
            "No versions yet.",
          ),
        };
      }),
    );
}
