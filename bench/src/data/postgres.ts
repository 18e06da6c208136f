import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface PostgresData extends AsyncDisposable {
  databaseUrl: string;
}

/** A PostgreSQL of its own, with the catalogue's data. */
export async function startPostgres(): Promise<PostgresData> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "postgres-server.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.stdin.end();
    await once(child, "exit");
  };
  const [databaseUrl] = (await once(createInterface(child.stdout), "line")) as [string];
  if (databaseUrl === "") {
    await end();
    throw new Error("PostgreSQL did not start");
  }
  return { databaseUrl, [Symbol.asyncDispose]: end };
}
