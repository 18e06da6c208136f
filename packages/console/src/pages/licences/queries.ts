import { queryOptions } from "@tanstack/react-query";
import { api } from "../../app/api.ts";

/** The newest request for each family. */
export const ownRequestsQuery = queryOptions({ queryKey: ["own-requests"], queryFn: api.ownRequests });

export const licencesQuery = queryOptions({ queryKey: ["own-licences"], queryFn: api.ownLicences });
