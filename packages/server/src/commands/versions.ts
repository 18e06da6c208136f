import { type Command, examples } from "@dbdepot/terminal/command";
import type { Output } from "@dbdepot/terminal/output";
import { parseList } from "@dbdepot/terminal/values";
import { listVersions } from "../domain/builds/listing.ts";
import { addVersion, requireFamily, updateVersion } from "../domain/catalogue/catalogue.ts";
import type { Version } from "../domain/catalogue/version.ts";
import { versionToWire } from "../domain/catalogue/wire.ts";
import { addArchiveCommands } from "./archiving.ts";
import type { Run } from "./context.ts";

export function addVersionCommands(program: Command, run: Run): void {
  const versions = program.command("versions").description("Manage the versions of database families");

  versions
    .command("add")
    .description("Add a version to its family")
    .argument("<id>", "version, like vpn_ip_v1")
    .requiredOption("--summary <text>", "one line about what this version contains")
    .requiredOption("--formats <list>", "formats it is built in: csvgz, mmdb or csvgz,mmdb", parseList)
    .addHelpText(
      "after",
      examples('dbdepot-server versions add vpn_ip_v1 --summary "VPN exit addresses" \\', "  --formats csvgz,mmdb"),
    )
    .action(
      run(async ({ output, operation }, id, { summary, formats }) => {
        return resultOf(output, await addVersion(await operation(), { id, summary, formats }));
      }),
    );

  versions
    .command("list")
    .description("List versions, of all families or of one")
    .argument("[family]", "family name, like vpn_ip")
    .action(
      run(async ({ output, clock, store: openStore }, base) => {
        const store = await openStore();
        if (base !== undefined) await requireFamily(store, base);
        const versions = await listVersions(store, base, clock());
        return {
          json: versions,
          text: output.table(
            ["VERSION", "FORMATS", "PUBLISHED", "OVERDUE", "SUMMARY", "ARCHIVED", "CURRENT BUILD"],
            versions.map(({ id, formats, current_build: build, overdue, planned, summary, archived }) => [
              id,
              formats,
              planned ? "planned" : build?.published?.slice(0, 10),
              overdue ? "overdue" : undefined,
              summary,
              archived?.slice(0, 10),
              build?.id,
            ]),
            "No versions yet.",
          ),
        };
      }),
    );

  versions
    .command("update")
    .description("Change the summary of a version")
    .argument("<id>", "version, like vpn_ip_v1")
    .requiredOption("--summary <text>", "one line about what this version contains")
    .action(
      run(async ({ output, operation }, id, { summary }) =>
        resultOf(output, await updateVersion(await operation(), id, { summary })),
      ),
    );

  addArchiveCommands(versions, run, {
    argument: ["<id>", "version, like vpn_ip_v1"],
    archive: "Hide a version from customers and stop its downloads",
    unarchive: "Make an archived version available again",
    note: "Nothing is deleted. Existing download links work until they expire.",
    update: updateVersion,
    result: resultOf,
  });
}

function resultOf(output: Output, version: Version) {
  const { id, summary, formats, archived } = version;
  return {
    json: versionToWire(version),
    text: output.details({ version: id, summary, formats, ...(archived && { archived }) }),
  };
}
