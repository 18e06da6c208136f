import { type Command, examples, UsageError } from "@dbdepot/terminal/command";
import type { Run } from "./context.ts";
import { createProfileFile, writeProfile } from "./profile.ts";

export function addShareCommand(program: Command, run: Run): void {
  program
    .command("share")
    .description("List the tables that pandas, Spark and others can read, or write a profile file for them")
    .option("--profile <file>", "new file to write the service's address and your key to, with mode 0600")
    .addHelpText("after", examples("dbdepot share", "dbdepot share --profile config.share"))
    .action(
      run(async ({ output, client, settings, signals }, { profile }) => {
        const used = settings();
        const service = client(used);
        const tables = await service.tables({ signal: signals.stop });
        if (profile !== undefined) {
          const { url, key, isLogin } = used;
          if (isLogin || url === undefined || key === undefined) {
            throw new UsageError(
              'the key of "dbdepot login" is replaced from time to time: create one with "dbdepot keys create --profile"',
            );
          }
          const { expires } = await service.identity({ signal: signals.stop });
          await createProfileFile(profile);
          await writeProfile(profile, { url, key: key.reveal(), expires });
        }
        const rows = tables.map(({ share, schema, name }) => [
          share,
          name,
          `${profile ?? "config.share"}#${share}.${schema}.${name}`,
        ]);
        const list = output.table(["SHARE", "TABLE", "NAME FOR PROGRAMS"], rows, "You can read no tables.");
        return {
          json: profile === undefined ? tables : { profile, tables },
          text: profile === undefined ? list : `${output.details({ profile })}\n${list}`,
        };
      }),
    );
}
