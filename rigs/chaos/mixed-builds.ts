import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";

interface Answer {
  what: string;
  status: number;
  buildId: string;
  /** The local port of the connection. */
  port: number;
}

/**
 * Requests the metadata and the checksums of a version from one process, all on the same connection. They must belong
 * to the same build unless a new one arrived in between. Returns a line that describes a mix of builds.
 */
export async function findMixedBuilds(origin: string, key: string, versionId: string): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (what: string): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}` };
    const request = get(`${origin}/api/v2/database/${what}`, { agent, headers, timeout: 30_000 });
    request.once("timeout", () => request.destroy());
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const port = response.socket.localPort ?? 0;
    response.resume();
    await once(response, "end");
    return { what, status: response.statusCode ?? 0, buildId: String(response.headers["x-build-id"]), port };
  };
  const metadata = `metadata?id=${versionId}`;
  const checksums = ["csvgz", "mmdb"].map((format) => `checksum?id=${versionId}&format=${format}`);
  const answers: Answer[] = [];
  try {
    for (const what of [metadata, ...checksums, metadata]) answers.push(await ask(what));
  } catch {
    return []; // The process was killed.
  } finally {
    agent.destroy();
  }
  const [first] = answers as [Answer];
  const last = answers.at(-1) as Answer;
  if (answers.some(({ status, port }) => status !== 200 || port !== first.port)) return [];
  if (first.buildId !== last.buildId || answers.every(({ buildId }) => buildId === first.buildId)) return [];
  return [`one process mixes builds: ${answers.map(({ what, buildId }) => `${what} has ${buildId}`).join(", ")}`];
}
