import type { Route } from "../route.ts";
import { openApiDocument } from "./document.ts";
import { docsPage } from "./page/page.ts";
import { publish } from "./published.ts";

/** The table is asked for late: these two are in it themselves. */
type Table = () => readonly Route[];

export function openApiJson(routes: Table) {
  return publish(() => ({
    body: JSON.stringify(openApiDocument(routes())),
    headers: { "content-type": "application/json; charset=utf-8" },
  }));
}

export function docs(routes: Table) {
  return publish(() => docsPage(openApiDocument(routes())));
}
