import type {
  DestinationsQuery,
  OperatorDestination,
  OrganizationDestinations,
} from "@dbdepot/contract/operator/destinations";
import type {
  BucketDelivery,
  CreateDestinationRequest,
  Destination,
  DestinationList,
  DestinationSetup,
  DestinationTest,
  UpdateDestinationRequest,
} from "@dbdepot/contract/v2/destinations";
import { queryOptions } from "@tanstack/react-query";
import { type LinkProps, useParams } from "@tanstack/react-router";
import { allItems, get, getItems, type ItemPage, list, send } from "../../app/api.ts";
import { rephrase } from "../../app/api-error.ts";
import { isManagerRole, queryClient, useAccount } from "../../app/session.ts";
import { familiesQuery } from "../catalogue/api.ts";
import { databasesQuery } from "../databases/api.ts";

/** The prefix of the query keys of everything about destinations. */
export const DESTINATIONS_KEY = "destinations";

/** The buckets of one organization, and what can be done with them. */
export interface DestinationSource {
  queryKey: readonly string[];
  /** The organization whose destinations an operator looks at. */
  organizationId?: string;
  list(): Promise<DestinationList>;
  /** The families that can be chosen. */
  families(): Promise<string[]>;
  get(id: string): Promise<Destination>;
  create(body: CreateDestinationRequest): Promise<Destination>;
  update(id: string, body: UpdateDestinationRequest): Promise<Destination>;
  remove(id: string): Promise<unknown>;
  test(id: string): Promise<DestinationTest>;
  /** One page of deliveries: the first, or the one at `url`. */
  deliveries(id: string, url: string | undefined): Promise<ItemPage<BucketDelivery>>;
}

/** The destinations of an admin's own organization. */
const ownDestinations: DestinationSource = {
  queryKey: [DESTINATIONS_KEY],
  list: () => get("/api/v2/destinations"),
  families: async () => (await queryClient.fetchQuery(databasesQuery)).databases.map(({ base }) => base),
  create: (body) => send<Destination>("POST", "/api/v2/destinations", body).catch(sayConflict),
  ...actionsOf("/api/v2/destinations"),
};

const operatorDestinations = list<OperatorDestination, DestinationsQuery>("/api/operator/destinations", "destinations");

/** The destinations of any organization, for operators. */
function destinationsOf(organizationId: string): DestinationSource {
  return {
    queryKey: [DESTINATIONS_KEY, organizationId],
    organizationId,
    list: async () => ({
      destinations: await allItems(operatorDestinations, { org: organizationId }),
      setup: await get<OrganizationDestinations>(permissionUrl(organizationId)),
    }),
    families: async () => (await queryClient.fetchQuery(familiesQuery)).map(({ base }) => base),
    create: (body) => send("POST", "/api/operator/destinations", { ...body, org: organizationId }),
    ...actionsOf("/api/operator/destinations"),
  };
}

/** Those of the organization, or of the person's own. */
export function sourceOf(organizationId: string | undefined): DestinationSource {
  return organizationId === undefined ? ownDestinations : destinationsOf(organizationId);
}

/** Both APIs have the same endpoints for a single destination. */
function actionsOf(base: string): Pick<DestinationSource, "get" | "update" | "remove" | "test" | "deliveries"> {
  return {
    get: (id) => get(`${base}/${id}`),
    update: (id, body) => send<Destination>("PATCH", `${base}/${id}`, body).catch(sayConflict),
    remove: (id) => send("DELETE", `${base}/${id}`),
    test: (id) => send("POST", `${base}/${id}/test`),
    deliveries: (id, url) => getItems(url ?? `${base}/${id}/deliveries`, "deliveries"),
  };
}

const sayConflict = rephrase("CONFLICT", "Another destination has the same bucket and prefix. Choose another prefix.");

/** The list, with what the policies of a new destination need. */
export function destinationsQuery({ queryKey, list: load }: DestinationSource) {
  return queryOptions({ queryKey: [...queryKey, "list"], queryFn: load });
}

/** Says why nothing can be delivered. */
export function obstacleOf({ allowed, ways }: DestinationSetup): string | undefined {
  if (!allowed) return "Deliveries to buckets are not allowed for this organization.";
  if (ways.length === 0) return "The service has no identity for deliveries, and can't store access keys.";
  return undefined;
}

export function allowDeliveries(organizationId: string, allowed: boolean): Promise<unknown> {
  return send("PUT", permissionUrl(organizationId), { allowed });
}

function permissionUrl(organizationId: string): string {
  return `/api/operator/organizations/${organizationId}/destinations`;
}

type Target = Pick<LinkProps, "to" | "params" | "search">;

/** The page with all destinations. */
export function listPage({ organizationId: id }: DestinationSource): Target {
  return id === undefined
    ? { to: "/destinations" }
    : { to: "/organizations/$id", params: { id }, search: { tab: "destinations" } };
}

/** The page about a destination. */
export function destinationPage({ organizationId: id }: DestinationSource, destination: string): Target {
  return id === undefined
    ? { to: "/destinations/$destination", params: { destination } }
    : { to: "/organizations/$id/destinations/$destination", params: { id, destination } };
}

/** The destination that the page's address names. */
export function useShownDestination() {
  const { id: organizationId, destination = "" } = useParams({ strict: false });
  return { source: sourceOf(organizationId), id: destination, canChange: isManagerRole(useAccount().role) };
}
