import { queryOptions } from "@tanstack/react-query";
import { api } from "../../app/api.ts";

export const noticesQuery = queryOptions({ queryKey: ["notices"], queryFn: api.notices });
export const securityQuery = queryOptions({ queryKey: ["security"], queryFn: api.security });
