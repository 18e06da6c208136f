import { PROCESS } from "@dbdepot/terminal/surroundings";
import { EXIT } from "./exit-codes.ts";
import { dbdepot } from "./program.ts";

// Whoever reads may stop, as in `dbdepot list | head -1`: then it ends without a word.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(EXIT.failed);
});

process.exitCode = await dbdepot(process.argv.slice(2), PROCESS);
