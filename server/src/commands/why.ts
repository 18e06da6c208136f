import { FORMATS } from "@dbdepot/contract/formats";
import { type Command, examples, Option } from "@dbdepot/terminal/command";
import { explain } from "../downloads/why.ts";
import type { Run } from "./context.ts";

export function addWhyCommand(program: Command, run: Run): void {
  program
    .command("why")
    .description("Explain why an organization can or cannot download a database")
    .argument("<org>", "organization, by id or exact name")
    .argument("<id>", "version, like vpn_ip_v1")
    .addOption(new Option("--format <format>", "format to download (default: any)").choices(FORMATS))
    .option("--sample", "explain a download of the sample instead of the full file")
    .option("--key <key>", "key to use, by id or prefix (default: any)")
    .addHelpText("after", examples("dbdepot-server why Acme vpn_ip_v1 --format mmdb --key dbd_8Xq2mLw1"))
    .action(
      run(async ({ output, store, clock }, organization, databaseId, { format, sample = false, key }) => {
        const now = clock();
        const explanation = await explain(await store(), { organization, databaseId, format, sample, key, now });
        const { granted, status, rc, reason, facts } = explanation;
        const response = granted ? `${status}, a link to the file` : `${status} ${rc}: ${reason}`;
        return {
          json: explanation,
          text: output.details({ response, ...Object.fromEntries(facts.map(({ name, finding }) => [name, finding])) }),
        };
      }),
    );
}
