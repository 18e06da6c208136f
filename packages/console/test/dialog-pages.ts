import type { Page } from "playwright-core";
import type { ConsolePage } from "./console-page.ts";

interface Opening extends Pick<ConsolePage, "as" | "path" | "heading"> {
  /** The button that opens the dialog, or the menu with the item that does. */
  opens: string | RegExp;
  item?: string;
  title: string | RegExp;
  /** Further steps, after which another dialog is open. */
  leads?: (page: Page) => Promise<unknown>;
}

const KEYS = { as: "admin", path: "/console/keys", heading: "API keys", opens: "Actions for nightly job" } as const;
const WEBHOOKS = { as: "admin", path: "/console/webhooks", heading: "Webhooks", opens: /^Actions for https/ } as const;
const DESTINATIONS = {
  as: "admin",
  path: "/console/destinations",
  heading: "Destinations",
  opens: "Actions for s3://acme-data/dbdepot",
} as const;
const TEAM = { as: "admin", path: "/console/team", heading: "Team" } as const;
const ACCOUNTS = { as: "operator", path: "/console/accounts", heading: "Accounts" } as const;
const ADA = { ...ACCOUNTS, opens: "Actions for ada@example.com" } as const;
const ORGANIZATION = {
  as: "operator",
  path: "/console/organizations/Demo%20Licensed",
  heading: "Demo Licensed",
} as const;
const FAMILY = { as: "operator", path: "/console/catalogue/proxy_ip", heading: "Proxy IP" } as const;
const BUILDS = { as: "admin", path: "/console/databases/bogon_ip?tab=builds", heading: "Bogon IP" } as const;

/** In an order in which none of them changes what a later one needs. */
const OPENINGS: Record<string, Opening> = {
  "key-edit": { ...KEYS, item: "Edit", title: /^Edit nightly job/ },
  "key-rotate": { ...KEYS, item: "Rotate", title: /^Rotate nightly job/ },
  "key-revoke": { ...KEYS, item: "Revoke", title: /^Revoke nightly job/ },
  "key-discard": {
    ...KEYS,
    opens: "Create key",
    title: "Create a key",
    leads: async (page) => {
      await page.getByRole("dialog").getByLabel("Name").fill("typed");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Discard what you entered?" }).waitFor();
    },
  },
  "key-secret": {
    ...KEYS,
    item: "Rotate",
    title: /^Rotate nightly job/,
    leads: async (page) => {
      await page.getByRole("radio", { name: "One hour" }).check();
      await page.getByRole("button", { name: "Rotate key" }).click();
      await page.getByRole("button", { name: "I have stored it" }).waitFor();
    },
  },
  "key-end-overlap": { ...KEYS, opens: "End it now: the old secret of nightly job", title: /^End the old secret/ },
  "webhook-edit": { ...WEBHOOKS, item: "Edit", title: "Edit the webhook" },
  "webhook-delete": { ...WEBHOOKS, item: "Delete", title: "Delete the webhook?" },
  "webhook-rotate": { ...WEBHOOKS, item: "Rotate secret", title: "Rotate the secret" },
  "webhook-secret": {
    ...WEBHOOKS,
    item: "Rotate secret",
    title: "Rotate the secret",
    leads: async (page) => {
      await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
      await page.getByRole("button", { name: "I have stored it" }).waitFor();
    },
  },
  "destination-edit": { ...DESTINATIONS, item: "Edit", title: "Edit the destination" },
  "destination-delete": { ...DESTINATIONS, item: "Delete", title: "Delete the destination?" },
  "team-link": {
    ...TEAM,
    opens: "Actions for grace@example.com",
    item: "New invitation link",
    title: /^Invitation for/,
  },
  "account-reset": { ...ADA, item: "Reset second factor", title: /^Reset the second factor/ },
  "account-move": { ...ADA, item: "Move to another organization", title: /^Move/ },
  "account-disable": { ...ADA, item: "Disable", title: /^Disable/ },
  "account-delete": { ...ADA, item: "Delete", title: /^Delete the account/ },
  "account-erase": { ...ADA, item: "Erase person", title: /^Erase/ },
  "organization-edit": {
    ...ORGANIZATION,
    opens: "Actions for Demo Licensed",
    item: "Edit",
    title: "Edit Demo Licensed",
  },
  "organization-archive": {
    ...ORGANIZATION,
    opens: "Actions for Demo Licensed",
    item: "Archive",
    title: "Archive Demo Licensed?",
  },
  "licence-renew": {
    ...ORGANIZATION,
    opens: /^Actions for the licence/,
    item: "Renew or change dates",
    title: /^Renew/,
  },
  "licence-end": { ...ORGANIZATION, opens: /^Actions for the licence/, item: "End now", title: /^End the licence/ },
  "request-decline": {
    as: "operator",
    path: "/console/requests",
    heading: "Requests",
    opens: /^Decline/,
    title: /^Decline the request/,
  },
  "terms-add": { as: "operator", path: "/console/terms", heading: "Terms", opens: "Add terms", title: "Add terms" },
  "legacy-key-revoke": {
    as: "operator",
    path: "/console/legacy-keys",
    heading: "Legacy keys",
    opens: /^Revoke/,
    title: /^Revoke/,
  },
  "family-edit": { ...FAMILY, opens: "Change family", item: "Edit name and access", title: "Edit Proxy IP" },
  "family-archive": { ...FAMILY, opens: "Change family", item: "Archive family", title: "Archive Proxy IP?" },
  "family-add-version": { ...FAMILY, opens: "Change family", item: "Add version", title: /^Add a version/ },
  "build-changes": { ...FAMILY, opens: / added, .+ removed, .+ changed$/, title: /changed$/ },
  "build-details": { ...BUILDS, opens: /^Details of/, title: /^bogon_ip/ },
};

/** Every dialog and drawer that is not among the pages. */
export const DIALOGS: readonly ConsolePage[] = Object.entries(OPENINGS).map(
  ([name, { as, path, heading, opens, item, title, leads }]) => ({
    name,
    as,
    path,
    heading,
    prepare: async (page) => {
      await page.getByRole("button", { name: opens }).first().click();
      if (item) await page.getByRole("menuitem", { name: item, exact: true }).click();
      await page.getByRole("dialog", { name: title }).waitFor();
      await leads?.(page);
    },
  }),
);
