import { queryOptions } from "@tanstack/react-query";
import { api } from "../../app/api.ts";

export const licencesQuery = queryOptions({ queryKey: ["own-licences"], queryFn: api.ownLicences });
