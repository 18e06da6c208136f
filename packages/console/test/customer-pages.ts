import type { ConsolePage } from "./console-page.ts";

/** The pages of customers: an admin with many licences, and a viewer who evaluates. */
export const CUSTOMER_PAGES: readonly ConsolePage[] = [
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
  { name: "databases", path: "/console/databases", as: "admin", heading: "Databases", shows: "25 rows" },
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
    shows: "RFC that reserves the network.",
  },
  {
    name: "database-sample",
    path: "/console/databases/bogon_ip?tab=sample",
    as: "admin",
    heading: "Bogon IP",
    shows: "10.0.0.0/8",
  },
  {
    name: "database-checksums",
    path: "/console/databases/bogon_ip?tab=checksums",
    as: "admin",
    heading: "Bogon IP",
    shows: "SHA-256",
  },
  { name: "terms-own", path: "/console/terms", as: "evaluator", heading: "Terms", shows: "Not accepted" },
  {
    name: "terms-own-version",
    path: "/console/terms/data-licence@1",
    as: "evaluator",
    heading: "Data licence agreement",
    shows: "Only admins can accept terms",
  },
  { name: "keys", path: "/console/keys", as: "admin", heading: "API keys", shows: "nightly job" },
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
  { name: "webhooks", path: "/console/webhooks", as: "admin", heading: "Webhooks", shows: "nightly import" },
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
  { name: "destinations", path: "/console/destinations", as: "admin", heading: "Destinations", shows: "data lake" },
  {
    name: "destinations-create",
    path: "/console/destinations",
    as: "admin",
    heading: "Destinations",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Create destination" }).click();
      await page.getByRole("radio", { name: "A role" }).check();
      await page.getByText("sts:ExternalId").waitFor();
    },
  },
  {
    name: "destinations-deliveries",
    path: "/console/destinations",
    as: "admin",
    heading: "Destinations",
    prepare: async (page) => {
      await page.getByRole("link", { name: "s3://acme-data/dbdepot" }).click();
      await page.getByText("pilot_ip_v1").waitFor();
    },
  },
  {
    name: "destinations-setup",
    path: "/console/destinations",
    as: "admin",
    heading: "Destinations",
    prepare: async (page) => {
      await page.getByRole("link", { name: "s3://acme-data/staging" }).click();
      await page.getByText("No deliveries yet").waitFor();
      await page.getByText("sts:ExternalId").waitFor();
    },
  },
  { name: "history", path: "/console/history", as: "admin", heading: "History", shows: "Granted" },
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
      await page.getByRole("row").filter({ hasText: "Wrong format" }).first().getByRole("button").click();
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
    name: "database-expired",
    path: "/console/databases/pilot_ip",
    as: "evaluator",
    heading: "Pilot IP",
    prepare: (page) => page.getByRole("button", { name: "Ask to renew" }).waitFor(),
  },
  { name: "team", path: "/console/team", as: "admin", heading: "Team", shows: "Never" },
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
  { name: "not-found", path: "/console/nowhere", as: "admin", heading: "Page not found" },
  { name: "not-allowed", path: "/console/keys", as: "evaluator", heading: "Not available to you" },
];
