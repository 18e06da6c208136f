import { clientSha256 } from "../client-packages.ts";
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
  return publish((brand, { systemPackages }) => {
    const digests = [...systemPackages].map(([name, { sha256 }]): [string, string] => [name, sha256]);
    return docsPage(openApiDocument(routes(), brand), brand, [...digests, ["dbdepot-client.tgz", clientSha256()]]);
  });
}
