import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Brand, LOGO_PATHS } from "../../../domain/brand/brand.ts";
import { Html, html, nothing } from "../../../platform/primitives/html.ts";
import type { Published } from "../published.ts";

const OWN_ACCENT = "#4653e0";

/** A complete HTML page around `body`, with the look of the console and the vendor's brand. */
export function htmlPage(title: string, brand: Brand, body: Html, { hasForm = false } = {}): Published {
  const style = readFileSync(new URL("style.css", import.meta.url), "utf8") + colorsOf(brand);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><div class="logo">${logoOf(brand)}</div> ${hasForm ? nothing : html`<span>API reference</span> `}<a href="/console">Console</a></header>
${body}
</body>
</html>
`;
  return { body: page.text, contentType: "text/html; charset=utf-8", headers: headersFor(style, brand, hasForm) };
}

/** Links to the vendor's pages, for the end of the content. */
export function pageFooter({ supportUrl, legalLinks, isPoweredByShown }: Brand): Html {
  const links = [...(supportUrl ? [{ label: "Support", url: supportUrl }] : []), ...legalLinks];
  if (links.length === 0 && !isPoweredByShown) return nothing;
  return html`<footer>${links.map(({ label, url }) => html`<a href="${url}">${label}</a>`)}${isPoweredByShown ? html`<span>Powered by dbdepot</span>` : nothing}</footer>`;
}

function logoOf({ name, logo, logoDark }: Brand): Html {
  if (!logo) {
    return html`<svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"></rect><g><ellipse cx="16" cy="10" rx="7.5" ry="3"></ellipse><path d="M8.5 10v6c0 1.66 3.36 3 7.5 3s7.5-1.34 7.5-3v-6"></path><path d="M8.5 16v6c0 1.66 3.36 3 7.5 3s7.5-1.34 7.5-3v-6"></path></g></svg> ${name}`;
  }
  const dark = logoDark ? html`<source media="(prefers-color-scheme: dark)" srcset="${LOGO_PATHS.dark}">` : nothing;
  return html`<picture>${dark}<img src="${LOGO_PATHS.light}" alt="${name}"></picture>`;
}

function colorsOf({ shades }: Brand): string {
  const [, , , , light, , main = OWN_ACCENT] = shades ?? [];
  const mark = `:root { --mark: ${main}; }\n`;
  if (!light) return mark;
  return `${mark}:root { --accent: ${main}; }\n@media (prefers-color-scheme: dark) { :root { --accent: ${light}; } }\n`;
}

/** The page runs no scripts and cannot be framed. It loads nothing but a logo; its only style sheet is allowed by digest. */
function headersFor(style: string, { logo }: Brand, hasForm: boolean): Record<string, string> {
  const images = logo ? " img-src 'self';" : "";
  const policy = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}';${images} base-uri 'none'; form-action ${hasForm ? "'self'" : "'none'"}; frame-ancestors 'none'`;
  return {
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
  };
}
