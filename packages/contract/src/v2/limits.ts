import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";

/** The limits that a vendor can set for an organization. */
export const LIMIT_NAMES = ["requests_per_minute", "downloads_per_day", "bytes_per_month", "parallel_streams"] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** A petabyte. */
export const LIMIT_MAX = 1e15;

export const LimitUse = closedObject("LimitUse", "A limit of your organization, and how much of it is used.", {
  limit: Type.Enum([...LIMIT_NAMES], {
    description:
      "`requests_per_minute`: API requests of all your keys. `downloads_per_day` and `bytes_per_month`: granted downloads and the size of their files, in days and months of UTC. `parallel_streams`: files that the API sends at the same time.",
  }),
  allowed: Type.Integer({ format: "int64", description: "The limit.", examples: [100] }),
  used: Type.Union([Type.Integer({ format: "int64" }), Type.Null()], {
    description: "How much of it is used, or null if it is not known: requests are counted for seconds only.",
    examples: [42],
  }),
  resets: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
    description: "When the count starts again at 0: the end of the day or month, in UTC. Null for the other limits.",
    examples: ["2027-02-01T00:00:00.000Z"],
  }),
});
export type LimitUse = Static<typeof LimitUse>;

export const LimitList = closedObject("LimitList", "The limits of your organization.", {
  limits: Type.Array(LimitUse, { description: "Only limits that are set. Empty if nothing is limited." }),
});
export type LimitList = Static<typeof LimitList>;
