import { anchor, type Html, html } from "../../../platform/primitives/html.ts";

const FENCED = /^```\w*\n(.*?)\n```$/ms;

/**
 * Renders the Markdown that our own texts use: `##` headings, paragraphs, lists, fenced code, `code` and **bold**. Not
 * safe for untrusted text.
 */
export function markdown(text: string): Html[] {
  return text.split(FENCED).flatMap((part, index) =>
    index % 2 === 1
      ? [codeBlock(part)]
      : part
          .trim()
          .split(/\n{2,}/)
          .filter(Boolean)
          .map(block),
  );
}

/** Renders `code` and **bold** in a line. */
export function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`")) return html`<code>${part.slice(1, -1)}</code>`;
    if (part.startsWith("**")) return html`<strong>${part.slice(2, -2)}</strong>`;
    return html`${part}`;
  });
  return html`${parts}`;
}

/** The block scrolls horizontally; the tab index makes that possible with the keyboard. */
export function codeBlock(code: string): Html {
  return html`<pre tabindex="0"><code>${code}</code></pre>`;
}

/** The headings of a text, for the table of contents. */
export function headings(text: string): string[] {
  return [...text.matchAll(/^## (.+)$/gm)].map(([, title = ""]) => title);
}

function block(text: string): Html {
  if (text.startsWith("## ")) {
    const title = text.slice(3);
    return html`<h2 id="${anchor(title)}">${title}</h2>`;
  }
  if (text.startsWith("- ")) {
    const items = text.split(/^- /m).slice(1);
    return html`<ul>${items.map((item) => html`<li>${inline(item.trim())}</li>`)}</ul>`;
  }
  return html`<p>${inline(text)}</p>`;
}
