import type { ListedBuild } from "@dbdepot/contract/operator/builds";

/** The published build that replaces this one if it is withdrawn, and that it is compared with. */
export function previousOf(build: ListedBuild, builds: readonly ListedBuild[]): ListedBuild | undefined {
  const byId = new Map(builds.map((each) => [each.id, each]));
  let candidate = byId.get(build.previous_build_id ?? "");
  while (candidate && candidate.state !== "published") candidate = byId.get(candidate.previous_build_id ?? "");
  return candidate;
}

/** "+12", "−3.4 %" or undefined if nothing changed. */
export function changeInPercent(next: number, before: number): string | undefined {
  if (next === before) return undefined;
  if (before === 0) return "new";
  const percent = ((next - before) / before) * 100;
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  const text = Math.abs(percent).toFixed(digits);
  return `${percent < 0 ? "−" : "+"}${Number(text) === 0 ? "<0.1" : text} %`;
}
