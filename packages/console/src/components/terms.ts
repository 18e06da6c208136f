import type { Redistribution } from "@dbdepot/contract/v2/catalogue";

/** Names for what a licence allows. */
export const TERMS: Record<Redistribution, string> = {
  evaluation: "Evaluation",
  internal: "Internal use",
  redistribute: "Redistribution",
};
