/** Most specific first: Edge also claims to be Chrome, and Chrome to be Safari. */
const BROWSERS: [string, RegExp][] = [
  ["Edge", /\bEdg\//],
  ["Firefox", /\bFirefox\//],
  ["Chrome", /Chrome\//],
  ["Safari", /\bSafari\//],
];
const SYSTEMS: [string, RegExp][] = [
  ["Windows", /Windows/],
  ["iPhone", /iPhone/],
  ["iPad", /iPad/],
  ["Android", /Android/],
  ["macOS", /Mac OS X/],
  ["Linux", /Linux/],
];

/** "Firefox on Linux", or the start of the user agent if the browser is unknown. */
export function browserOf(userAgent: string): string {
  const browser = BROWSERS.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0];
  if (!browser) return userAgent.slice(0, 60) || "Unknown browser";
  return system ? `${browser} on ${system}` : browser;
}
