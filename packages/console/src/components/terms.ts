import type { Redistribution } from "@dbdepot/contract/catalogue";

/** Names for what a licence allows. */
export const TERMS: Record<Redistribution, string> = {
  evaluation: "Evaluation",
  internal: "Internal use",
  redistribute: "Redistribution",
};
