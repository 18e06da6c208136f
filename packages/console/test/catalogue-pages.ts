import type { ConsolePage } from "./console-page.ts";
import { uploadExampleBuild } from "./example-builds.ts";

const PROXY_IP = { path: "/console/catalogue/proxy_ip", as: "operator", heading: "Proxy IP" } as const;

/** The pages on which operators manage databases and publish builds. */
export const CATALOGUE_PAGES: readonly ConsolePage[] = [
  { name: "catalogue", path: "/console/catalogue", as: "operator", heading: "Catalogue", shows: "Proxy IP" },
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
  { name: "catalogue-family", ...PROXY_IP, shows: "171" },
  {
    name: "catalogue-edit-version",
    ...PROXY_IP,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.getByRole("dialog").getByLabel("Summary").waitFor();
    },
  },
  {
    name: "catalogue-build",
    ...PROXY_IP,
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
    ...PROXY_IP,
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
    ...PROXY_IP,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Publish a build" }).click();
      await page.getByRole("button", { name: "Upload and check" }).click();
      await page.getByText("Choose the file for Metadata").waitFor();
    },
  },
  {
    name: "catalogue-publish-stopped",
    ...PROXY_IP,
    prepare: async (page) => {
      await page.route("**/files/mmdb*", (route) => route.abort(), { times: 1 });
      await uploadExampleBuild(page, 175);
      await page.getByText("The upload has stopped").waitFor();
    },
  },
  {
    name: "catalogue-publish-ready",
    ...PROXY_IP,
    prepare: async (page) => {
      await uploadExampleBuild(page, 175);
      await page.getByText("All checks passed").waitFor();
    },
  },
  {
    name: "catalogue-publish-suspicious",
    ...PROXY_IP,
    prepare: async (page) => {
      await uploadExampleBuild(page, 12);
      await page.getByText("This looks like a mistake").waitFor();
    },
  },
  {
    name: "catalogue-publish-faulty",
    ...PROXY_IP,
    prepare: async (page) => {
      await uploadExampleBuild(page, 175, { entries: 174 });
      await page.getByText("This build can't be published").waitFor();
    },
  },
];
