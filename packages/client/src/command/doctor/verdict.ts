import type { Finding } from "@dbdepot/terminal/findings";

export interface Verdict {
  verdict: Finding["verdict"];
  detail: string;
  advice: string | null;
}

export function ok(detail: string): Verdict {
  return { verdict: "ok", detail, advice: null };
}

export function note(detail: string): Verdict {
  return { verdict: "note", detail, advice: null };
}

export function fail(detail: string, advice: string | null): Verdict {
  return { verdict: "FAIL", detail, advice };
}
