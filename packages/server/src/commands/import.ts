import { parsePublicKey, type SignaturePublicKey } from "@dbdepot/formats/minisign";
import { type Command, examples, InvalidArgumentError } from "@dbdepot/terminal/command";
import { parseList } from "@dbdepot/terminal/values";
import { importMirror } from "../domain/builds/import.ts";
import type { Run } from "./context.ts";

export function addImportCommand(program: Command, run: Run): void {
  program
    .command("import")
    .description("Publish the builds of a mirror, with the vendor's signatures")
    .argument("<directory>", 'directory that "dbdepot mirror" made')
    .requiredOption("--trust <keys>", "comma-separated public keys of the vendor", publicKeys)
    .addHelpText(
      "after",
      examples("dbdepot-server import /srv/mirror --trust RWT+gSwS86tM5upKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs"),
    )
    .action(
      run(async ({ operation, objects }, directory, { trust }) => {
        const imported = await importMirror({ operation, objects: await objects() }, directory, trust);
        return {
          json: imported.map(({ id, buildId, sequence, isChanged }) => ({
            id,
            build_id: buildId,
            sequence,
            unchanged: !isChanged,
          })),
          text: imported
            .map(
              ({ id, buildId, sequence, isChanged }) =>
                `${isChanged ? "imported " : "unchanged"}  ${id}: manifest ${sequence}, build ${buildId}\n`,
            )
            .join(""),
        };
      }),
    );
}

function publicKeys(text: string): SignaturePublicKey[] {
  return parseList(text).map((one) => {
    const key = parsePublicKey(one);
    if (!key)
      throw new InvalidArgumentError("Must be minisign public keys, which have 56 characters and begin with RW.");
    return key;
  });
}
