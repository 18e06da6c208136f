import type { WhyQuery } from "@dbdepot/contract/operator-queries";
import type { Explanation } from "@dbdepot/contract/operator-responses";
import { explain } from "../../downloads/why.ts";
import type { OperatorContext } from "./route.ts";

/** What a download would answer now, by the rules that it goes through. */
export async function why({ services, query, now }: OperatorContext<WhyQuery>): Promise<Explanation> {
  const { org: organization, id: databaseId, format, key } = query;
  return explain(services.store, { organization, databaseId, format, key, now });
}
