import type { Page } from "playwright-core";
import { uploadExampleBuild } from "./example-builds.ts";

interface ConsolePage {
  name: string;
  path: string;
  as: "visitor" | "admin" | "evaluator" | "operator";
  heading: string;
  /** Brings the page into the state to look at. */
  prepare?: (page: Page) => Promise<unknown>;
}

/** Every page, as the accessibility tests and the screenshots visit them. */
export const PAGES: readonly ConsolePage[] = [
  { name: "sign-in", path: "/console/sign-in", as: "visitor", heading: "Sign in" },
  { name: "forgot-password", path: "/console/forgot-password", as: "visitor", heading: "Reset your password" },
  { name: "invalid-link", path: "/console/accept#token=none", as: "visitor", heading: "This link doesn't work" },
  { name: "device", path: "/console/device", as: "admin", heading: "Sign in a program" },
  {
    name: "authorize",
    path: `/oauth/authorize?${new URLSearchParams({
      client_id: "dbdepot-cli",
      redirect_uri: "http://127.0.0.1:51004/callback",
      response_type: "code",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
      scope: "db.download apikeys.manage",
      device_name: "build-7",
    })}`,
    as: "admin",
    heading: "Sign in dbdepot?",
  },
  {
    name: "databases",
    path: "/console/databases",
    as: "admin",
    heading: "Databases",
    prepare: (page) => page.getByText("25 rows").waitFor(),
  },
  { name: "databases-nothing-found", path: "/console/databases?q=zzz", as: "admin", heading: "Databases" },
  {
    name: "database",
    path: "/console/databases/bogon_ip",
    as: "admin",
    heading: "Bogon IP",
    prepare: (page) => page.getByRole("link", { name: "Download MMDB" }).waitFor(),
  },
  {
    name: "database-unlicensed",
    path: "/console/databases/hosting_provider",
    as: "evaluator",
    heading: "Hosting providers",
    prepare: (page) => page.getByRole("heading", { name: "Sample rows" }).waitFor(),
  },
  {
    name: "database-columns",
    path: "/console/databases/bogon_ip?tab=columns",
    as: "admin",
    heading: "Bogon IP",
    prepare: (page) => page.getByText("RFC that reserves the network.").waitFor(),
  },
  {
    name: "database-sample",
    path: "/console/databases/bogon_ip?tab=sample",
    as: "admin",
    heading: "Bogon IP",
    prepare: (page) => page.getByText("10.0.0.0/8").waitFor(),
  },
  {
    name: "database-checksums",
    path: "/console/databases/bogon_ip?tab=checksums",
    as: "admin",
    heading: "Bogon IP",
    prepare: (page) => page.getByText("SHA-256").first().waitFor(),
  },
  {
    name: "terms",
    path: "/console/terms",
    as: "operator",
    heading: "Terms",
    prepare: (page) => page.getByText("data-licence@1").waitFor(),
  },
  {
    name: "terms-version",
    path: "/console/terms/data-licence@1",
    as: "operator",
    heading: "Data licence agreement",
    prepare: (page) => page.getByText("Nothing accepted yet").waitFor(),
  },
  {
    name: "terms-own",
    path: "/console/terms",
    as: "evaluator",
    heading: "Terms",
    prepare: (page) => page.getByText("Not accepted").waitFor(),
  },
  {
    name: "terms-own-version",
    path: "/console/terms/data-licence@1",
    as: "evaluator",
    heading: "Data licence agreement",
    prepare: (page) => page.getByText("Only admins can accept terms").waitFor(),
  },
  {
    name: "keys",
    path: "/console/keys",
    as: "admin",
    heading: "API keys",
    prepare: (page) => page.getByText("nightly job").waitFor(),
  },
  {
    name: "keys-create",
    path: "/console/keys",
    as: "admin",
    heading: "API keys",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("dialog").getByLabel("Name").waitFor();
    },
  },
  {
    name: "webhooks",
    path: "/console/webhooks",
    as: "admin",
    heading: "Webhooks",
    prepare: (page) => page.getByText("nightly import").waitFor(),
  },
  {
    name: "webhooks-create",
    path: "/console/webhooks",
    as: "admin",
    heading: "Webhooks",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Create webhook" }).click();
      await page.getByRole("radio", { name: "Only some" }).check();
      await page.getByRole("checkbox", { name: "New build" }).waitFor();
    },
  },
  {
    name: "webhooks-deliveries",
    path: "/console/webhooks",
    as: "admin",
    heading: "Webhooks",
    prepare: async (page) => {
      await page.getByRole("button", { name: /^Actions for https/ }).click();
      await page.getByRole("menuitem", { name: "Deliveries and test" }).click();
      await page.getByText("HTTP 503").waitFor();
    },
  },
  {
    name: "webhooks-delivery",
    path: "/console/webhooks",
    as: "admin",
    heading: "Webhooks",
    prepare: async (page) => {
      await page.getByRole("link", { name: "https://hooks.example.com/dbdepot" }).click();
      await page.getByRole("row").filter({ hasText: "HTTP 503" }).getByRole("link").click();
      await page.getByText("Too many connections").waitFor();
    },
  },
  {
    name: "history",
    path: "/console/history",
    as: "admin",
    heading: "History",
    prepare: (page) => page.getByText("Granted").first().waitFor(),
  },
  {
    name: "usage",
    path: "/console/usage",
    as: "admin",
    heading: "Usage",
    prepare: (page) => page.getByRole("region", { name: "Usage" }).getByText("Open").first().waitFor(),
  },
  {
    name: "history-attempt",
    path: "/console/history",
    as: "admin",
    heading: "History",
    prepare: async (page) => {
      await page.getByRole("listitem").filter({ hasText: "Wrong format" }).first().getByRole("button").click();
      await page.getByRole("dialog").getByText("HTTP status").waitFor();
    },
  },
  {
    name: "database-builds",
    path: "/console/databases/bogon_ip?tab=builds",
    as: "admin",
    heading: "Bogon IP",
    prepare: (page) => page.getByText("Current", { exact: true }).waitFor(),
  },
  {
    name: "database-lookup",
    path: "/console/databases/bogon_ip?tab=lookup",
    as: "admin",
    heading: "Bogon IP",
    prepare: async (page) => {
      await page.getByLabel("IP address").fill("10.1.2.3");
      await page.getByRole("button", { name: "Look up" }).click();
      await page.getByText("10.0.0.0/8").waitFor();
    },
  },
  {
    name: "licences",
    path: "/console/licences",
    as: "evaluator",
    heading: "Licences",
    prepare: (page) => page.getByRole("button", { name: "Request access" }).first().waitFor(),
  },
  {
    name: "licences-request",
    path: "/console/licences",
    as: "evaluator",
    heading: "Licences",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Ask to renew" }).first().click();
      await page.getByRole("dialog").getByLabel("Message").waitFor();
    },
  },
  {
    name: "database-unlicensed",
    path: "/console/databases/pilot_ip",
    as: "evaluator",
    heading: "Pilot IP",
    prepare: (page) => page.getByRole("button", { name: "Ask to renew" }).waitFor(),
  },
  {
    name: "team",
    path: "/console/team",
    as: "admin",
    heading: "Team",
    prepare: (page) => page.getByText("Never").waitFor(),
  },
  {
    name: "team-invite",
    path: "/console/team",
    as: "admin",
    heading: "Team",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Invite" }).click();
      await page.getByRole("dialog").getByLabel("E-mail address").waitFor();
    },
  },
  {
    name: "account",
    path: "/console/account",
    as: "admin",
    heading: "Your account",
    prepare: (page) => page.getByText("This browser", { exact: true }).waitFor(),
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
  {
    name: "requests",
    path: "/console/requests",
    as: "operator",
    heading: "Requests",
    prepare: (page) => page.getByText("Demo Expired").waitFor(),
  },
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
    prepare: (page) => page.getByText("VPN IP").waitFor(),
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
    prepare: (page) => page.getByText("nightly job").waitFor(),
  },
  {
    name: "organization-history",
    path: "/console/organizations/Demo%20Licensed?tab=history",
    as: "operator",
    heading: "Demo Licensed",
    prepare: (page) => page.getByText("Granted").first().waitFor(),
  },
  {
    name: "organization-legacy-keys",
    path: "/console/organizations/Demo%20Licensed?tab=legacy-keys",
    as: "operator",
    heading: "Demo Licensed",
    prepare: (page) => page.getByText("old appliance").waitFor(),
  },
  {
    name: "organization-limits",
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
    prepare: (page) => page.getByText("grace@example.com").waitFor(),
  },
  {
    name: "overview",
    path: "/console/overview",
    as: "operator",
    heading: "Overview",
    prepare: async (page) => {
      await page.getByRole("region", { name: "Evaluations" }).waitFor();
      await page.locator(".recharts-bar").first().waitFor();
    },
  },
  {
    name: "settings",
    path: "/console/settings",
    as: "operator",
    heading: "Settings",
    prepare: (page) => page.getByText("DBDEPOT_PORT").waitFor(),
  },
  { name: "why", path: "/console/why", as: "operator", heading: "Why" },
  {
    name: "why-refused",
    path: "/console/why?org=Demo%20Expired&id=vpn_ip_v1&format=mmdb",
    as: "operator",
    heading: "Why",
    prepare: (page) => page.getByRole("list", { name: "Steps" }).waitFor(),
  },
  {
    name: "catalogue",
    path: "/console/catalogue",
    as: "operator",
    heading: "Catalogue",
    prepare: (page) => page.getByText("Proxy IP").waitFor(),
  },
  {
    name: "catalogue-add-family",
    path: "/console/catalogue",
    as: "operator",
    heading: "Catalogue",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Add family" }).click();
      await page.getByRole("dialog").getByLabel("Name").waitFor();
    },
  },
  {
    name: "catalogue-family",
    path: "/console/catalogue/proxy_ip",
    as: "operator",
    heading: "Proxy IP",
    prepare: (page) => page.getByText("171").first().waitFor(),
  },
  {
    name: "catalogue-edit-version",
    path: "/console/catalogue/proxy_ip",
    as: "operator",
    heading: "Proxy IP",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.getByRole("dialog").getByLabel("Summary").waitFor();
    },
  },
  {
    name: "catalogue-build",
    path: "/console/catalogue/proxy_ip",
    as: "operator",
    heading: "Proxy IP",
    prepare: async (page) => {
      await page
        .getByRole("button", { name: /^Actions for the build/ })
        .first()
        .click();
      await page.getByRole("menuitem", { name: "Details and checksums" }).click();
      await page.getByRole("dialog").getByText("SHA-512").first().waitFor();
    },
  },
  {
    name: "catalogue-withdraw",
    path: "/console/catalogue/proxy_ip",
    as: "operator",
    heading: "Proxy IP",
    prepare: async (page) => {
      await page
        .getByRole("button", { name: /^Actions for the build/ })
        .first()
        .click();
      await page.getByRole("menuitem", { name: "Withdraw" }).click();
      await page.getByRole("button", { name: "Withdraw build" }).waitFor();
    },
  },
  {
    name: "catalogue-publish-files",
    path: "/console/catalogue/proxy_ip",
    as: "operator",
    heading: "Proxy IP",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Publish a build" }).click();
      await page.getByRole("button", { name: "Upload and check" }).click();
      await page.getByText("Choose the file for Metadata").waitFor();
    },
  },
  {
    name: "catalogue-publish-stopped",
    path: "/console/catalogue/proxy_ip",
    as: "operator",
    heading: "Proxy IP",
    prepare: async (page) => {
      await page.route("**/files/mmdb*", (route) => route.abort(), { times: 1 });
      await uploadExampleBuild(page, 175);
      await page.getByText("The upload has stopped").waitFor();
    },
  },
  {
    name: "catalogue-publish-ready",
    path: "/console/catalogue/proxy_ip",
    as: "operator",
    heading: "Proxy IP",
    prepare: async (page) => {
      await uploadExampleBuild(page, 175);
      await page.getByText("All checks passed").waitFor();
    },
  },
  {
    name: "catalogue-publish-suspicious",
    path: "/console/catalogue/proxy_ip",
    as: "operator",
    heading: "Proxy IP",
    prepare: async (page) => {
      await uploadExampleBuild(page, 12);
      await page.getByText("This looks like a mistake").waitFor();
    },
  },
  {
    name: "catalogue-publish-faulty",
    path: "/console/catalogue/proxy_ip",
    as: "operator",
    heading: "Proxy IP",
    prepare: async (page) => {
      await uploadExampleBuild(page, 175, { entries: 174 });
      await page.getByText("This build can't be published").waitFor();
    },
  },
  {
    name: "accounts",
    path: "/console/accounts",
    as: "operator",
    heading: "Accounts",
    prepare: (page) => page.getByText("Demo Licensed").first().waitFor(),
  },
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
      await page.getByRole("listitem").filter({ hasText: "typo_v1" }).first().getByRole("button").click();
      await page.getByRole("dialog").getByText("unknown_dataset").waitFor();
    },
  },
  {
    name: "audit",
    path: "/console/audit",
    as: "operator",
    heading: "Audit log",
    prepare: (page) => page.getByText("Account signed in").first().waitFor(),
  },
  {
    name: "audit-entry",
    path: "/console/audit?action=licence",
    as: "operator",
    heading: "Audit log",
    prepare: async (page) => {
      await page.getByRole("listitem").filter({ hasText: "Licence granted" }).first().getByRole("button").click();
      await page.getByRole("dialog").getByText("redistribution").waitFor();
    },
  },
  {
    name: "legacy-keys",
    path: "/console/legacy-keys",
    as: "operator",
    heading: "Legacy keys",
    prepare: (page) => page.getByText("Active").first().waitFor(),
  },
  { name: "not-found", path: "/console/nowhere", as: "admin", heading: "Page not found" },
  { name: "not-allowed", path: "/console/keys", as: "evaluator", heading: "Not available to you" },
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
