import { getRouteApi } from "@tanstack/react-router";
import { ProgramPage } from "./program-page.tsx";

const route = getRouteApi("/approvals/authorize");

/** The consent page of the authorization code flow. /oauth/authorize sends the browser here. */
export function Authorize() {
  const { request = "" } = route.useSearch();
  return <ProgramPage question={{ authorization: request }} />;
}
