import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

const ERROR_LEVEL = 50;
const SHOWN = 5;
const SECRET_SHAPES = /dbd_[0-9A-Za-z]{8}_[0-9A-Za-z]{8,}|whsec_|X-Amz-Signature|token=/;

/** `serve` prints where it listens before the first line of the log. */
const ADDRESS = /^\w+ +http:/;

export interface LogFindings {
  lines: number;
  /** Samples of lines that must not be there. */
  errors: string[];
  secrets: string[];
}

/** Looks for errors and secrets in a log: everything shaped like a key, and the known texts. */
export async function checkLog(file: string, secrets: ReadonlySet<string>): Promise<LogFindings> {
  const findings: LogFindings = { lines: 0, errors: [], secrets: [] };
  const known = [...secrets];
  for await (const line of createInterface(createReadStream(file))) {
    if (ADDRESS.test(line)) continue;
    findings.lines += 1;
    if (levelOf(line) >= ERROR_LEVEL) note(findings.errors, line);
    if (SECRET_SHAPES.test(line) || known.some((secret) => line.includes(secret))) note(findings.secrets, line);
  }
  return findings;
}

function note(lines: string[], line: string): void {
  if (lines.length < SHOWN) lines.push(line.slice(0, 2000));
}

/** A line that is not JSON, such as a stack trace of Node.js, is an error too. */
function levelOf(line: string): number {
  try {
    const { level } = JSON.parse(line) as { level: number | string };
    return typeof level === "number" ? level : level === "error" || level === "fatal" ? ERROR_LEVEL : 0;
  } catch {
    return ERROR_LEVEL;
  }
}
