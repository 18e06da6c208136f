import { PROCESS } from "@dbdepot/terminal/process-context";
import { EXIT } from "./exit-codes.ts";
import { dbdepot } from "./program.ts";

// The reader may stop early, as in `dbdepot list | head -1`: exit without an error message.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(EXIT.failed);
});

const exitCode = await dbdepot(process.argv.slice(2), PROCESS);
// Otherwise an aborted connection attempt would keep the process alive until it times out.
process.stdout.write("", () => process.stderr.write("", () => process.exit(exitCode)));
