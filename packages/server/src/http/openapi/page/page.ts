import type { Brand } from "../../../domain/brand/brand.ts";
import { anchor, type Html, html, nothing } from "../../../platform/primitives/html.ts";
import type { OpenApiDocument } from "../model.ts";
import type { Published } from "../published.ts";
import { endpointSection, endpointsOf } from "./endpoint.ts";
import { headings, inline, markdown } from "./markdown.ts";
import { htmlPage, pageFooter } from "./shell.ts";
import { codeTable, fieldTable, headerTable, table } from "./tables.ts";
import { limitsOf, schemaAnchor, typeOf } from "./types.ts";

/** Renders the document as one self-contained HTML page, with the files of the client and the digests to compare copies with. */
export function docsPage(
  document: OpenApiDocument,
  brand: Brand,
  clientFiles: [name: string, sha256: string][],
): Published {
  const { title, version, summary, description } = document.info;
  const body = html`<div class="columns">
${contents(document)}
<main id="content">
<h1>${title} API</h1>
<p class="lead">${summary} Interface ${version}. OpenAPI: <a href="/openapi.json">openapi.json</a>.</p>
${clientTable(clientFiles)}
<div class="guide">${markdown(description)}</div>
${document.tags.map((tag) => tagSection(document, tag))}
${schemaSections(document)}
<section aria-labelledby="headers"><h2 id="headers">Headers</h2>${headerTable("Response headers", document)}</section>
<section aria-labelledby="codes"><h2 id="codes">Error codes</h2>
<p>Every error code. New codes may be added, so tolerate codes you don't know.</p>
${codeTable("Error codes")}</section>
${pageFooter(brand)}
</main>
</div>`;
  return htmlPage(`${title} API`, brand, body);
}

const SYSTEMS: [RegExp, string][] = [
  [/\.deb$/, "Debian, Ubuntu"],
  [/\.rpm$/, "Fedora, Red Hat, SUSE"],
  [/\.tar\.xz$/, "other Linux systems"],
  [/\.tgz$/, "any system with Node.js; also the library"],
];

function clientTable(files: [name: string, sha256: string][]): Html {
  const rows = files.map(([name, sha256]) => [
    html`${SYSTEMS.find(([pattern]) => pattern.test(name))?.[1] ?? ""}`,
    html`<a href="/download/${name}">${name}</a>`,
    html`<code class="long">${sha256}</code>`,
  ]);
  return html`<p class="lead">The <code>dbdepot</code> command:</p>${table("The dbdepot command", ["System", "File", "SHA-256"], rows)}`;
}

function contents(document: OpenApiDocument): Html {
  const guide = headings(document.info.description).map((title) => item(anchor(title), title));
  const tags = document.tags.map(({ name }) => {
    const endpoints = endpointsOf(document, name).map(({ operation }) =>
      item(operation.operationId, operation.summary),
    );
    return html`<li><a href="#${anchor(name)}">${name}</a><ul>${endpoints}</ul></li>`;
  });
  return html`<nav aria-label="Contents"><details open><summary>Contents</summary>
<ul>${guide}${tags}${item("objects", "Objects")}${item("headers", "Headers")}${item("codes", "Error codes")}</ul>
</details></nav>`;
}

function item(id: string, text: string): Html {
  return html`<li><a href="#${id}">${text}</a></li>`;
}

function tagSection(document: OpenApiDocument, { name, description }: { name: string; description: string }): Html {
  return html`<section aria-labelledby="${anchor(name)}">
<h2 id="${anchor(name)}">${name}</h2>
<p>${inline(description)}</p>
${endpointsOf(document, name).map((endpoint) => endpointSection(document, endpoint))}
${eventsOf(document, name)}
</section>`;
}

/** Shows what customers receive, below the endpoints of the same tag. */
function eventsOf({ webhooks }: OpenApiDocument, tag: string): Html {
  const sent = Object.entries(webhooks).filter(([, { post }]) => post.tags[0] === tag);
  if (sent.length === 0) return nothing;
  const rows = sent.map(([type, { post }]) => {
    const { schema = {} } = post.requestBody?.content["application/json"] ?? {};
    return [html`<code>${type}</code>`, inline(post.requestBody?.description ?? ""), typeOf(schema)];
  });
  return html`<section aria-labelledby="events-received"><h3 id="events-received">Events that you receive</h3>
<p>Each event is a <code>POST</code> request to the URL of the webhook.</p>
${table("Events", ["Type", "Meaning", "Body"], rows)}</section>`;
}

function schemaSections(document: OpenApiDocument): Html {
  const sections = Object.entries(document.components.schemas).map(([name, schema]) => {
    const id = schemaAnchor(name);
    return html`<section aria-labelledby="${id}">
<h3 id="${id}">${name}</h3>
<p>${inline(schema.description ?? "")}</p>
${Object.keys(schema.properties ?? {}).length > 0 ? fieldTable(`Fields of ${name}`, document, schema) : html`<p>${schema.enum ? "One of " : ""}${typeOf(schema)}.${limitsOf(schema)}</p>`}
</section>`;
  });
  return html`<section aria-labelledby="objects"><h2 id="objects">Objects</h2>${sections}</section>`;
}
