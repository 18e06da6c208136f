import type { Scope } from "@dbdepot/contract/shared/scopes";
import * as contract from "@dbdepot/contract/v2/destinations";
import { DELIVERIES_LIMIT, DeliveriesQuery } from "@dbdepot/contract/v2/webhooks";
import type { Static, TObject, TSchema } from "typebox";
import { requireCustomerManager } from "../../domain/access/manager.ts";
import type { DeliveredDatabase, Destination } from "../../domain/destinations/destination.ts";
import {
  createDestination,
  type DestinationSubject,
  deleteDestination,
  requireOwnDestination,
  updateDestination,
} from "../../domain/destinations/destinations.ts";
import { testDestination } from "../../domain/destinations/try.ts";
import {
  bucketDeliveryToWire,
  destinationChangesFromWire,
  destinationRequestFromWire,
  destinationToWire,
  setupToWire,
  testToWire,
} from "../../domain/destinations/wire.ts";
import type { Store, Tables } from "../../domain/store.ts";
import { type CallerContext, endpoint, managerOf } from "../endpoint.ts";
import { byId, onlyKnown, pageOf } from "../page.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import type { Route } from "../route.ts";

/** Whose destinations a set of routes is about. */
interface DestinationApi<Schema extends TSchema, Query extends TObject> {
  url: string;
  read: Scope;
  write: Scope;
  /** The destination in the URL, if the caller may see or change it. */
  subjectOf(context: CallerContext): DestinationSubject;
  /** The same without the checks for a change. */
  find(tables: Pick<Tables, "destinations">, context: CallerContext): Promise<Destination>;
  schema: Schema;
  toWire(destination: Destination, databases: readonly DeliveredDatabase[]): Static<Schema>;
  deliveriesQuery: Query;
}

/** The routes of one destination, which customers and operators have. Lists, creation and deletion differ. */
export function destinationRoutes<Schema extends TSchema, Query extends TObject>({
  url,
  read,
  write,
  subjectOf,
  find,
  schema,
  toWire,
  deliveriesQuery,
}: DestinationApi<Schema, Query>): Route[] {
  const shown = async (store: Pick<Store, "destinations">, destination: Destination) =>
    toWire(destination, await store.destinations.databases([destination.id]));
  return [
    endpoint({
      method: "GET",
      url: `${url}/:id`,
      scope: read,
      summary: "Get a destination",
      description: "Returns the destination with its state and what is in the bucket, without secrets.",
      response: schema,
      errors: ["NOT_FOUND"],
      respond: async (context) => shown(context.services.store, await find(context.services.store, context)),
    }),
    endpoint({
      method: "PATCH",
      url: `${url}/:id`,
      scope: write,
      summary: "Change a destination",
      description:
        "Changes a destination, or pauses or continues its deliveries. Omitted fields keep their values. Another bucket, prefix or endpoint gets all builds again, after ownership has been proved. What the bucket lacks is delivered at once.",
      body: contract.UpdateDestinationRequest,
      response: schema,
      errors: ["NOT_FOUND", "INVALID_URL", "CONFLICT", "WAY_NOT_AVAILABLE"],
      async respond(context) {
        const changes = destinationChangesFromWire(context.body);
        const changed = await updateDestination(context.operation, subjectOf(context), changes);
        return shown(context.services.store, changed);
      },
    }),
    endpoint({
      method: "POST",
      url: `${url}/:id/test`,
      scope: write,
      summary: "Test a destination",
      description:
        "Looks for the object that proves ownership, then writes, reads and deletes an object, and says which step fails. If the proof is there, the destination is verified, and builds that wait are delivered.",
      response: contract.DestinationTest,
      errors: ["NOT_FOUND"],
      async respond(context) {
        const { services, operation, reply, now } = context;
        const { organizationId } = await find(services.store, context);
        const { openBucket, tests } = services.destinations;
        const wait = tests.take(organizationId, now.getTime());
        if (wait > 0) return sendLimited(reply, wait, tests.limit);
        return testToWire(await testDestination(operation, openBucket, subjectOf(context)));
      },
    }),
    endpoint({
      method: "GET",
      url: `${url}/:id/deliveries`,
      scope: read,
      summary: "List deliveries to a bucket",
      description:
        "Returns the deliveries to the bucket of the last 30 days, newest first. The `Link` header points to the next page.",
      query: deliveriesQuery,
      response: contract.BucketDeliveryList,
      errors: ["NOT_FOUND"],
      async respond(context) {
        const { store } = context.services;
        const { id: destinationId } = await find(store, context);
        const page = await pageOf(
          { ...context, query: onlyKnown(context.query, deliveriesQuery) },
          byId,
          ({ limit, from }) => store.destinations.deliveries({ destinationId, limit, before: from }),
          DELIVERIES_LIMIT.default,
        );
        return { deliveries: page.map(bucketDeliveryToWire) };
      },
    }),
  ];
}

/** An organization's own destinations. */
export const DESTINATION_ROUTES: readonly Route[] = [
  endpoint({
    method: "GET",
    url: "/api/v2/destinations",
    scope: "apikeys.manage",
    summary: "List destinations",
    description:
      "Returns the buckets that builds are delivered to, newest first, and what the policy of a new one needs.",
    response: contract.DestinationList,
    async respond({ services, organizationId }) {
      const { store, rules } = services;
      const found = await store.destinations.list({ organizationId });
      const databases = await store.destinations.databases(found.map(({ id }) => id));
      const permission = await store.destinations.permission(organizationId);
      return {
        destinations: found.map((destination) => destinationToWire(destination, databases)),
        setup: setupToWire(permission, rules),
      };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/v2/destinations",
    scope: "apikeys.manage",
    summary: "Create a destination",
    description:
      "Adds a bucket. Put the object that the response names into it, then test the destination: new builds are delivered from then on. The vendor must have allowed deliveries to your organization, which can have 5 destinations.",
    body: contract.CreateDestinationRequest,
    response: contract.Destination,
    errors: ["DELIVERIES_NOT_ALLOWED", "INVALID_URL", "CONFLICT", "TOO_MANY_DESTINATIONS", "WAY_NOT_AVAILABLE"],
    async respond(context) {
      const { operation, body } = context;
      const own = async (tables: Tables) => ({
        id: (await requireCustomerManager(tables, managerOf(context), operation.now)).organizationId,
      });
      return destinationToWire(await createDestination(operation, own, destinationRequestFromWire(body)), []);
    },
  }),
  ...destinationRoutes({
    url: "/api/v2/destinations",
    read: "apikeys.manage",
    write: "apikeys.manage",
    subjectOf,
    find: (tables, { organizationId, id }) => requireOwnDestination(tables, organizationId, id),
    schema: contract.Destination,
    toWire: destinationToWire,
    deliveriesQuery: DeliveriesQuery,
  }),
  endpoint({
    method: "DELETE",
    url: "/api/v2/destinations/:id",
    scope: "apikeys.manage",
    summary: "Delete a destination",
    description: "Ends the deliveries and deletes their log. The files stay in your bucket.",
    errors: ["NOT_FOUND"],
    async respond(context) {
      await deleteDestination(context.operation, subjectOf(context));
      return undefined;
    },
  }),
];

/** Checks again, inside the transaction, that the caller may manage the organization, as for changes of keys. */
function subjectOf(context: CallerContext): DestinationSubject {
  return async (tables) => {
    const { organizationId } = await requireCustomerManager(tables, managerOf(context), context.now);
    return requireOwnDestination(tables, organizationId, context.id);
  };
}
