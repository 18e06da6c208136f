import type { Redistribution } from "@dbdepot/contract/v2/catalogue";

/** What a licence allows, in words. */
export const TERMS: Record<Redistribution, string> = {
  evaluation: "Evaluation",
  internal: "Internal use",
  redistribute: "Redistribution",
};
