import type { ConsolePage } from "./console-page.ts";

/** The pages that only operators have, except those of the catalogue, and what they see on the others. */
export const OPERATOR_PAGES: readonly ConsolePage[] = [
  { name: "terms", path: "/console/terms", as: "operator", heading: "Terms", shows: "data-licence@1" },
  {
    name: "terms-version",
    path: "/console/terms/data-licence@1",
    as: "operator",
    heading: "Data licence agreement",
    shows: "Nothing accepted yet",
  },
  {
    name: "organizations",
    path: "/console/organizations",
    as: "operator",
    heading: "Organizations",
    prepare: (page) => page.getByRole("link", { name: "Demo Licensed" }).waitFor(),
  },
  {
    name: "organizations-add",
    path: "/console/organizations",
    as: "operator",
    heading: "Organizations",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Add organization" }).click();
      await page.getByRole("dialog").getByLabel("Name").waitFor();
    },
  },
  {
    name: "organizations-import",
    path: "/console/organizations/import",
    as: "operator",
    heading: "Import customers",
    prepare: async (page) => {
      const csv = [
        "kind,organization,name,family,redistribution,starts,expires,email,role,scopes,create",
        "organization,C-1001,Initech GmbH,,,,,,,,",
        "licence,C-1001,,vpn_ip,internal,2026-01-01,2027-01-01,,,,",
        "account,C-1001,Ada Lovelace,,,,,ada@initech.example,admin,,",
        "key,C-1001,nightly job,,,,,,,db.download,true",
      ].join("\n");
      const file = { name: "customers.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
      await page.locator("input[type=file]").setInputFiles(file);
      await page.getByRole("button", { name: "Import 4 changes" }).waitFor();
    },
  },
  { name: "requests", path: "/console/requests", as: "operator", heading: "Requests", shows: "Demo Expired" },
  {
    name: "requests-details",
    path: "/console/requests",
    as: "operator",
    heading: "Requests",
    prepare: async (page) => {
      await page.getByRole("link", { name: "Demo Expired" }).click();
      await page.getByRole("dialog").getByText("We can sign this week.").waitFor();
    },
  },
  {
    name: "requests-grant",
    path: "/console/requests",
    as: "operator",
    heading: "Requests",
    prepare: async (page) => {
      await page.getByRole("button", { name: /^Grant vpn_ip/ }).click();
      await page.getByRole("dialog").getByLabel("Reply").waitFor();
    },
  },
  {
    name: "organization-licences",
    path: "/console/organizations/Demo%20Licensed",
    as: "operator",
    heading: "Demo Licensed",
    shows: "VPN IP",
  },
  {
    name: "organization-grant",
    path: "/console/organizations/Demo%20Licensed",
    as: "operator",
    heading: "Demo Licensed",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Grant a licence" }).click();
      await page.getByRole("dialog").getByLabel("Starts on").waitFor();
    },
  },
  {
    name: "organization-keys",
    path: "/console/organizations/Demo%20Licensed?tab=keys",
    as: "operator",
    heading: "Demo Licensed",
    shows: "nightly job",
  },
  {
    name: "organization-history",
    path: "/console/organizations/Demo%20Licensed?tab=history",
    as: "operator",
    heading: "Demo Licensed",
    shows: "Granted",
  },
  {
    name: "organization-legacy-keys",
    path: "/console/organizations/Demo%20Licensed?tab=legacy-keys",
    as: "operator",
    heading: "Demo Licensed",
    shows: "old appliance",
  },
  {
    name: "organization-destinations",
    path: "/console/organizations/Demo%20Licensed?tab=destinations",
    as: "operator",
    heading: "Demo Licensed",
    shows: "data lake",
  },
  {
    name: "organization-destinations-none",
    path: "/console/organizations/Demo%20Expired?tab=destinations",
    as: "operator",
    heading: "Demo Expired",
    shows: "Deliveries are not available",
  },
  {
    name: "organization-limits",
    path: "/console/organizations/Demo%20Licensed?tab=limits",
    as: "operator",
    heading: "Demo Licensed",
    shows: "Transfer per month",
  },
  {
    name: "organization-limits-change",
    path: "/console/organizations/Demo%20Licensed?tab=limits",
    as: "operator",
    heading: "Demo Licensed",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Change limits" }).click();
      await page.getByRole("dialog").getByLabel("Downloads per day").waitFor();
    },
  },
  {
    name: "organization-members",
    path: "/console/organizations/Demo%20Licensed?tab=members",
    as: "operator",
    heading: "Demo Licensed",
    shows: "grace@example.com",
  },
  {
    name: "overview",
    path: "/console/overview",
    as: "operator",
    heading: "Overview",
    prepare: async (page) => {
      await page.getByRole("region", { name: "Evaluations" }).waitFor();
      await page
        .getByTitle(/granted, .* refused/)
        .first()
        .waitFor();
    },
  },
  { name: "settings", path: "/console/settings", as: "operator", heading: "Settings", shows: "DBDEPOT_PORT" },
  { name: "why", path: "/console/why", as: "operator", heading: "Explain a download" },
  {
    name: "why-refused",
    path: "/console/why?org=Demo%20Expired&id=vpn_ip_v1&format=mmdb",
    as: "operator",
    heading: "Explain a download",
    prepare: (page) => page.getByRole("list", { name: "Steps" }).waitFor(),
  },
  { name: "accounts", path: "/console/accounts", as: "operator", heading: "Accounts", shows: "Demo Licensed" },
  {
    name: "operator-history",
    path: "/console/history",
    as: "operator",
    heading: "History",
    prepare: (page) => page.getByText("Granted").nth(1).waitFor(),
  },
  {
    name: "operator-usage",
    path: "/console/usage?by=database",
    as: "operator",
    heading: "Usage",
    prepare: (page) => page.getByRole("region", { name: "Usage" }).getByText("Demo Licensed").first().waitFor(),
  },
  {
    name: "operator-history-attempt",
    path: "/console/history?outcome=unknown",
    as: "operator",
    heading: "History",
    prepare: async (page) => {
      await page.getByRole("row").filter({ hasText: "typo_v1" }).first().getByRole("button").click();
      await page.getByRole("dialog").getByText("unknown_dataset").waitFor();
    },
  },
  { name: "audit", path: "/console/audit", as: "operator", heading: "Audit log", shows: "Account signed in" },
  {
    name: "audit-entry",
    path: "/console/audit?action=licence",
    as: "operator",
    heading: "Audit log",
    prepare: async (page) => {
      await page.getByRole("row").filter({ hasText: "Licence granted" }).first().getByRole("button").click();
      await page.getByRole("dialog").getByText("redistribution").waitFor();
    },
  },
  { name: "legacy-keys", path: "/console/legacy-keys", as: "operator", heading: "Legacy keys", shows: "Active" },
  {
    name: "jump",
    path: "/console/settings",
    as: "operator",
    heading: "Settings",
    prepare: async (page) => {
      await page.keyboard.press("Control+K");
      await page.getByRole("combobox", { name: "Jump to" }).fill("demo");
      await page.getByRole("option", { name: /^Demo Licensed/ }).waitFor();
    },
  },
  {
    name: "all-licences",
    path: "/console/licences",
    as: "operator",
    heading: "Licences",
    prepare: (page) => page.getByRole("link", { name: "Demo Evaluation" }).first().waitFor(),
  },
];
