import { queryOptions } from "@tanstack/react-query";
import { api } from "../../app/api.ts";

export const securityQuery = queryOptions({ queryKey: ["security"], queryFn: api.security });
