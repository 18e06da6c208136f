import type { ExplanationStep } from "@dbdepot/contract/operator/why";

type Words = Record<ExplanationStep["result"], string> & {
  /** The tab of the organization's page on which to fix it. */
  tab?: string;
  remedy?: string;
};

/** Each step in plain words. */
export const STEP_WORDS: Record<ExplanationStep["name"], Words> = {
  organization: {
    passed: "The organization is active",
    failed: "The organization is archived",
    not_checked: "Organization not checked",
    tab: "licences",
    remedy: "Open the organization",
  },
  key: {
    passed: "The key works",
    failed: "The key is refused",
    not_checked: "Key not checked",
    tab: "keys",
    remedy: "Open the organization's keys",
  },
  database: {
    passed: "The database exists and the organization can see it",
    failed: "There is no such database for this organization",
    not_checked: "Database not checked",
  },
  licence: {
    passed: "The licence allows it, or none is needed",
    failed: "No licence allows it",
    not_checked: "Licence not checked",
    tab: "licences",
    remedy: "Grant or renew a licence",
  },
  terms: {
    passed: "All required terms are accepted",
    failed: "The organization has not accepted the terms",
    not_checked: "Terms not checked",
    tab: "terms",
    remedy: "Open the organization's terms",
  },
  format: {
    passed: "The database is built in this format",
    failed: "The database is not built in this format",
    not_checked: "Format not checked",
  },
  build: {
    passed: "A build is published",
    failed: "The file does not exist",
    not_checked: "Build not checked",
  },
  limits: {
    passed: "The organization's limits allow it",
    failed: "A limit of the organization is used up",
    not_checked: "Limits not checked",
    tab: "limits",
    remedy: "Open the organization's limits",
  },
};
