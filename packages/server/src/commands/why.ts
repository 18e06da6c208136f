import { FORMATS } from "@dbdepot/contract/shared/formats";
import { type Command, examples, Option } from "@dbdepot/terminal/command";
import { explain } from "../domain/downloads/why.ts";
import { explainRequest } from "../domain/downloads/why-request.ts";
import { invalid } from "../platform/primitives/faults.ts";
import type { Run } from "./context.ts";

export function addWhyCommand(program: Command, run: Run): void {
  program
    .command("why")
    .description("Explain why an organization can or cannot download a database")
    .argument("[org]", "organization, by id or exact name")
    .argument("[id]", "version, like vpn_ip_v1")
    .option("--request <id>", "request to explain instead, by the id that customers see in errors and in X-Request-Id")
    .addOption(new Option("--format <format>", "format to download (default: any)").choices(FORMATS))
    .option("--sample", "explain a download of the sample instead of the full file")
    .option("--key <key>", "key to use, by id or prefix (default: any)")
    .addHelpText(
      "after",
      examples(
        "dbdepot-server why Acme vpn_ip_v1 --format mmdb --key dbd_8Xq2mLw1",
        "dbdepot-server why --request 019a8b02-5c11-7e0a-9d43-1f2e3d4c5b6a",
      ),
    )
    .action(
      run(async ({ output, store, clock }, organization, databaseId, { format, sample = false, key, request }) => {
        const now = clock();
        const explanation =
          request === undefined
            ? await explain(await store(), { ...requireBoth(organization, databaseId), format, sample, key, now })
            : await explainRequest(await store(), request, now);
        const { granted, status, rc, reason, facts } = explanation;
        const response = granted ? `${status}, a link to the file` : `${[status, rc].join(" ").trim()}: ${reason}`;
        return {
          json: explanation,
          text: output.details({ response, ...Object.fromEntries(facts.map(({ name, finding }) => [name, finding])) }),
        };
      }),
    );
}

function requireBoth(organization: string | undefined, databaseId: string | undefined) {
  if (organization === undefined || databaseId === undefined) {
    throw invalid("name an organization and a version, like `why Acme vpn_ip_v1`, or use --request");
  }
  return { organization, databaseId };
}
