import { type Command, examples, Option } from "@dbdepot/terminal/command";
import type { Output } from "@dbdepot/terminal/output";
import { parseList } from "@dbdepot/terminal/values";
import { listVersions } from "../domain/builds/listing.ts";
import { addVersion, requireFamily, updateVersion } from "../domain/catalogue/catalogue.ts";
import type { Version } from "../domain/catalogue/version.ts";
import { versionToWire } from "../domain/catalogue/wire.ts";
import { invalid } from "../platform/primitives/faults.ts";
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
    .addOption(recompressOption().default("off"))
    .addOption(tablesOption().default("off"))
    .addHelpText(
      "after",
      examples('dbdepot-server versions add vpn_ip_v1 --summary "VPN exit addresses" \\', "  --formats csvgz,mmdb"),
    )
    .action(
      run(async ({ output, operation }, id, { summary, formats, recompress, tables }) => {
        return resultOf(
          output,
          await addVersion(await operation(), {
            id,
            summary,
            formats,
            recompress: recompress === "on",
            tables: tables === "on",
          }),
        );
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
    .description(
      "Change the summary of a version, whether its csv.gz files are compressed again, or whether it is shared as a table",
    )
    .argument("<id>", "version, like vpn_ip_v1")
    .option("--summary <text>", "one line about what this version contains")
    .addOption(recompressOption())
    .addOption(tablesOption())
    .action(
      run(async ({ output, operation }, id, { summary, recompress, tables }) => {
        if (summary === undefined && recompress === undefined && tables === undefined) {
          throw invalid("use --summary, --recompress or --tables");
        }
        const change = {
          summary,
          ...(recompress !== undefined && { recompress: recompress === "on" }),
          ...(tables !== undefined && { tables: tables === "on" }),
        };
        return resultOf(output, await updateVersion(await operation(), id, change));
      }),
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

function recompressOption() {
  return new Option(
    "--recompress <on|off>",
    "compress each csv.gz again when it is published, so that customers get patches of it",
  ).choices(["on", "off"] as const);
}

function tablesOption() {
  return new Option(
    "--tables <on|off>",
    "write each build as Parquet after it is published, and share it with customers as a table",
  ).choices(["on", "off"] as const);
}

function resultOf(output: Output, version: Version) {
  const { id, summary, formats, archived, recompress, tables } = version;
  return {
    json: versionToWire(version),
    text: output.details({
      version: id,
      summary,
      formats,
      ...(recompress && { recompress: "on" }),
      ...(tables && { tables: "on" }),
      ...(archived && { archived }),
    }),
  };
}
