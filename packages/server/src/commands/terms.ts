import { readFile } from "node:fs/promises";
import { ACCEPTANCE_SORTS, TERMS_SORTS } from "@dbdepot/contract/operator/terms";
import { type Command, examples } from "@dbdepot/terminal/command";
import { acceptanceFilter, addTerms, requireTerms } from "../domain/terms/add.ts";
import { acceptanceToWire, listedTerms, termsToWire } from "../domain/terms/wire.ts";
import { invalid } from "../platform/primitives/faults.ts";
import type { Run } from "./context.ts";
import { SEARCH_OPTION, sortOption } from "./lists.ts";

export function addTermsCommands(program: Command, run: Run): void {
  const terms = program.command("terms").description("Manage documents that customers must accept");

  terms
    .command("add")
    .description("Add a document, or its next version if the text has changed")
    .argument("<name>", "short name, like data-licence")
    .argument("<file>", "plain text or Markdown in UTF-8, up to 256 KiB")
    .requiredOption("--title <title>", "title that customers see")
    .addHelpText(
      "after",
      examples('dbdepot-server terms add data-licence data-licence.md --title "Data licence agreement"'),
    )
    .action(
      run(async ({ output, operation: openOperation }, name, file, { title }) => {
        const text = decode(file, await readFile(file));
        const operation = await openOperation();
        const { terms, isNew } = await addTerms(operation, { name, title, text });
        return {
          json: { ...(await termsToWire(operation.store, terms)), added: isNew },
          text: output.details({
            terms: terms.id,
            title: terms.title,
            sha256: terms.sha256,
            added: isNew ? "yes" : `no: ${terms.id} already has this text`,
          }),
        };
      }),
    );

  terms
    .command("list")
    .description("List all versions of all documents")
    .option(...SEARCH_OPTION)
    .addOption(sortOption(TERMS_SORTS))
    .action(
      run(async ({ output, store: openStore }, request) => {
        const store = await openStore();
        const { items } = await store.terms.page(request);
        const wires = await listedTerms(store, items);
        return {
          json: wires,
          text: output.table(
            ["TERMS", "TITLE", "ADDED", "BY", "ACCEPTED BY"],
            wires.map(({ id, title, created, created_by, acceptances }) => [
              id,
              title,
              created.slice(0, 10),
              created_by,
              acceptances === 1 ? "1 organization" : `${acceptances} organizations`,
            ]),
            "No terms found.",
          ),
        };
      }),
    );

  terms
    .command("show")
    .description("Print the text of a document")
    .argument("<terms>", "version like data-licence@2, or a name for its newest version")
    .action(
      run(async ({ store: openStore }, idOrName) => {
        const store = await openStore();
        const found = await requireTerms(store, idOrName);
        return { json: { ...(await termsToWire(store, found)), text: found.text }, text: found.text.trimEnd() };
      }),
    );

  terms
    .command("acceptances")
    .description("List who accepted which terms")
    .option("--org <org>", "only this organization, by id or exact name")
    .option("--terms <terms>", "only this version, or all versions of this name")
    .option(...SEARCH_OPTION)
    .addOption(sortOption(ACCEPTANCE_SORTS))
    .addHelpText("after", examples("dbdepot-server terms acceptances --terms data-licence"))
    .action(
      run(async ({ output, store: openStore }, { org, terms, search, sort }) => {
        const store = await openStore();
        const filter = await acceptanceFilter(store, { org, terms });
        const { items } = await store.terms.acceptances(filter, { search, sort });
        const wires = items.map(acceptanceToWire);
        return {
          json: wires,
          text: output.table(
            ["ORGANIZATION", "TERMS", "ACCEPTED", "BY", "FROM", "SHA-256"],
            wires.map(({ organization_name, terms, created, name, email, address, sha256 }) => [
              organization_name,
              terms,
              created,
              name ? `${name} (${email})` : email,
              address,
              sha256,
            ]),
            "No acceptances found.",
          ),
        };
      }),
    );
}

/** Bytes that are not UTF-8 are refused instead of replaced. */
function decode(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid(`${file} is not plain text in UTF-8`);
  }
}
