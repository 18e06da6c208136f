import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Published } from "../published.ts";
import { Html, html } from "./html.ts";

/** A complete HTML page around `body`, with the style that all pages share. */
export function htmlPage(title: string, body: Html): Published {
  const style = readFileSync(new URL("style.css", import.meta.url), "utf8");
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
${body}
</body>
</html>
`;
  return { body: page.text, contentType: "text/html; charset=utf-8", headers: headersFor(style) };
}

/** The page loads nothing, runs no scripts and cannot be framed; its only style sheet is allowed by digest. */
function headersFor(style: string): Record<string, string> {
  const policy = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return {
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
  };
}
