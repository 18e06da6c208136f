import { clientSha256 } from "../client-package.ts";
import type { Route } from "../route.ts";
import { openApiDocument } from "./document.ts";
import { docsPage } from "./page/page.ts";
import { publish } from "./published.ts";

/** This is a function because these two routes are part of the table themselves. */
type Table = () => readonly Route[];

export function openApiJson(routes: Table) {
  return publish((brand) => ({
    body: JSON.stringify(openApiDocument(routes(), brand)),
    contentType: "application/json; charset=utf-8",
  }));
}

export function docs(routes: Table) {
  return publish((brand) => docsPage(openApiDocument(routes(), brand), brand, clientSha256()));
}
