import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { Readiness } from "../shared/health.ts";
import { REDISTRIBUTIONS } from "../v2/catalogue.ts";

/** The operators' start page and the server's settings, in /api/console responses. */

/** Entries of each list of the overview. */
export const OVERVIEW_LIST_LENGTH = 20;
export const OVERVIEW_ENDING_DAYS = 60;
export const OVERVIEW_REFUSALS_DAYS = 7;
/**
 * Refusals are counted among this many attempts, so that the overview takes the same time however long the history is.
 */
export const OVERVIEW_REFUSALS_ATTEMPTS = 10_000;

const Time = Type.String({ format: "date-time" });

const Customer = closedObject("OverviewCustomer", "An organization.", { id: Type.String(), name: Type.String() });

const OverdueVersion = closedObject("OverdueVersion", "A version whose next build is late.", {
  id: Type.String({ examples: ["vpn_ip_v1"] }),
  base: Type.String({ examples: ["vpn_ip"] }),
  update_freq: Type.Union([Type.String(), Type.Null()], { description: "How often a new build is published." }),
  published: Type.Union([Time, Type.Null()], { description: "When the current build was published." }),
});

const EndingLicence = closedObject("EndingLicence", "A licence and when it ends.", {
  id: Type.String(),
  organization: Customer,
  base: Type.String({ examples: ["vpn_ip"] }),
  redistribution: Type.Enum([...REDISTRIBUTIONS]),
  expires: Time,
});
export type EndingLicence = Static<typeof EndingLicence>;

const EndingLicences = closedObject("EndingLicences", "Licences that end.", {
  total: Type.Integer({ description: "How many there are." }),
  licences: Type.Array(EndingLicence, { description: `The first ${OVERVIEW_LIST_LENGTH} to end, soonest first.` }),
});
export type EndingLicences = Static<typeof EndingLicences>;

const RefusedKey = closedObject("RefusedKey", "A key and how often its downloads were refused.", {
  key: Type.Union(
    [closedObject("OverviewKey", "A key of v2 or v1.", { id: Type.String(), name: Type.String() }), Type.Null()],
    { description: "The key, or null if it was not recognized or a person downloaded in the console." },
  ),
  organization: Type.Union([Customer, Type.Null()]),
  refused: Type.Integer({ description: "Number of refused attempts." }),
  last: Type.String({ format: "date-time", description: "Time of the newest one." }),
});
export type RefusedKey = Static<typeof RefusedKey>;

const WaitingRequest = closedObject("WaitingRequest", "A request for a licence that waits for an answer.", {
  id: Type.String(),
  organization: Customer,
  base: Type.String({ examples: ["vpn_ip"] }),
  email: Type.String({ description: "The e-mail address of the person who asked." }),
  created: Time,
});
export type WaitingRequest = Static<typeof WaitingRequest>;

const WaitingRequests = closedObject("WaitingRequests", "Access requests that wait for an answer.", {
  total: Type.Integer({ description: "How many there are." }),
  requests: Type.Array(WaitingRequest, { description: `The newest ${OVERVIEW_LIST_LENGTH}.` }),
});

const Setup = closedObject("OverviewSetup", "Which steps have been taken to put the service into operation.", {
  database: Type.Boolean({ description: "Whether a database has a version." }),
  build: Type.Boolean({ description: "Whether a build is published." }),
  organization: Type.Boolean({ description: "Whether there is an organization." }),
  licence: Type.Boolean({ description: "Whether a licence has been granted." }),
  invitation: Type.Boolean({ description: "Whether someone at a customer has been invited." }),
  mail: Type.Boolean({ description: "Whether the server sends e-mails." }),
  last_backup: Type.Union([Time, Type.Null()], {
    description: "When `dbdepot-server backup` last succeeded, or null if the audit log has no backup.",
  }),
});
export type Setup = Static<typeof Setup>;

export const Overview = closedObject("Overview", "What needs the operator's attention.", {
  overdue: Type.Array(OverdueVersion, { description: "Versions whose next build is late, ordered by id." }),
  ending: Type.Object(EndingLicences.properties, {
    additionalProperties: false,
    description: `Licences other than evaluations that end within ${OVERVIEW_ENDING_DAYS} days.`,
  }),
  evaluations: Type.Object(EndingLicences.properties, {
    additionalProperties: false,
    description: "Evaluations that have yet to end.",
  }),
  refused_keys: Type.Array(RefusedKey, {
    description: `Keys with the most refusals among the newest ${OVERVIEW_REFUSALS_ATTEMPTS.toLocaleString("en")} attempts of the last ${OVERVIEW_REFUSALS_DAYS} days, most first.`,
  }),
  requests: WaitingRequests,
  mail: closedObject("OverviewMail", "E-mails in the outbox.", {
    enabled: Type.Boolean({ description: "Whether the server sends notifications." }),
    waiting: Type.Integer({ description: "How many wait to be sent, or to be sent again." }),
    failed: Type.Integer({ description: "How many the mail server refused in the last 7 days." }),
    unknown: Type.Integer({
      description: "How many may or may not have arrived in the last 7 days, because sending was interrupted.",
    }),
  }),
  health: Readiness,
  setup: Setup,
});
export type Overview = Static<typeof Overview>;
