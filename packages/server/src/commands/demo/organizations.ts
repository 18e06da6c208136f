import type { Redistribution } from "@dbdepot/contract/v2/catalogue";

export interface DemoLicence {
  base: string;
  redistribution: Redistribution;
  startsInDays: number;
  endsInDays: number | null;
  renewsInDays?: number;
  noticeDueInDays?: number;
}

export interface DemoOrganization {
  name: string;
  /** Its standing, as the demo prints it. */
  standing: string;
  licences: readonly DemoLicence[];
}

/** One organization of each standing. The first also has a v1 key and a key that manages keys. */
export const DEMO_ORGANIZATIONS: readonly [DemoOrganization, ...DemoOrganization[]] = [
  {
    name: "Demo Licensed",
    standing: "licensed",
    licences: ["bogon_ip", "bogon_asn", "hosting_provider", "tor_ip", "vpn_ip", "pilot_ip"].map((base) => ({
      base,
      redistribution: base === "bogon_ip" ? "redistribute" : "internal",
      startsInDays: -30,
      endsInDays: base === "vpn_ip" ? 335 : null,
      ...(base === "vpn_ip" && { renewsInDays: 335, noticeDueInDays: 245 }),
    })),
  },
  {
    name: "Demo Evaluation",
    standing: "evaluating",
    licences: [{ base: "vpn_ip", redistribution: "evaluation", startsInDays: -21, endsInDays: 9 }],
  },
  {
    name: "Demo Expired",
    standing: "expired",
    licences: [{ base: "vpn_ip", redistribution: "internal", startsInDays: -400, endsInDays: -35 }],
  },
  { name: "Demo Unlicensed", standing: "unlicensed", licences: [] },
];

/** Customers that the demo prints no keys for. The names are plainly made up. */
export const MORE_ORGANIZATIONS: readonly (Pick<DemoOrganization, "name" | "licences"> & {
  /** Names of its keys. */
  keys: readonly string[];
})[] = [
  { name: "Example Airlines", keys: ["booking"], licences: [licence("hosting_ip", 120), licence("vpn_ip", 120)] },
  {
    name: "Example Bank",
    keys: ["fraud checks", "staging"],
    licences: [licence("hosting_ip", 200), licence("tor_ip", 200)],
  },
  { name: "Example Games", keys: ["matchmaking"], licences: [licence("vpn_ip", 90)] },
  { name: "Example Hosting", keys: ["abuse desk"], licences: [licence("hosting_ip", null)] },
  { name: "Example Media", keys: ["streaming", "ads"], licences: [licence("hosting_ip", 5), licence("vpn_ip", 48)] },
  { name: "Example Payments", keys: ["risk engine"], licences: [licence("hosting_ip", -6), licence("tor_ip", 300)] },
  {
    name: "Example Security",
    keys: ["sensors", "research"],
    licences: [licence("hosting_ip", 330), licence("relay_ip", 330)],
  },
  { name: "Example Telecom", keys: ["core network"], licences: [licence("tor_ip", 20)] },
];

function licence(base: string, endsInDays: number | null): DemoLicence {
  return { base, redistribution: "internal", startsInDays: -60, endsInDays };
}
