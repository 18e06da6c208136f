import type { Redistribution } from "@dbdepot/contract/v2/catalogue";

interface DemoLicence {
  base: string;
  redistribution: Redistribution;
  startsInDays: number;
  endsInDays: number | null;
  renewsInDays?: number;
  noticeDueInDays?: number;
}

interface DemoOrganization {
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
