import { type Html, html, nothing } from "../../platform/primitives/html.ts";
import type { Brand } from "../brand/brand.ts";
import type { MailContent } from "../mail/outgoing-mail.ts";
import type { DigestItem, DigestSection, Urgency } from "./notice.ts";
import { TOPIC_TITLES } from "./topics.ts";

/** More would make the e-mail of an operator with thousands of customers unreadable. */
const ITEMS_MAX = 30;
const OWN_SHADES = { light: "#828def", main: "#4653e0" };
/** Mail programs show about this much. */
const SUBJECT_MAX_LENGTH = 90;
const URGENCIES: readonly Urgency[] = ["now", "soon", "later"];

/** The sender of the digest, and the address that its links lead to. */
export interface Letterhead {
  brand: Brand;
  publicUrl: string;
}

type Content = MailContent & { html: string };

/** The daily e-mail to a person. `token` identifies the person in the link that unsubscribes them. */
export function digestMail(
  { brand, publicUrl }: Letterhead,
  token: string,
  sections: readonly DigestSection[],
): Content {
  const links: Links = {
    to: (path) => `${publicUrl}/console${path}`,
    unsubscribeUrl: `${publicUrl}/unsubscribe?token=${token}`,
  };
  return {
    subject: subjectOf(sections),
    text: textOf(brand, links, sections),
    html: htmlOf(brand, links, sections),
    unsubscribeUrl: links.unsubscribeUrl,
  };
}

interface Links {
  to(path: string): string;
  unsubscribeUrl: string;
}

/** Names the most urgent item. */
function subjectOf(sections: readonly DigestSection[]): string {
  const items = sections.flatMap((section) => section.items);
  const [first] = items.toSorted((one, other) => URGENCIES.indexOf(one.urgency) - URGENCIES.indexOf(other.urgency));
  const rest = items.length > 1 ? ` (and ${items.length - 1} more)` : "";
  return shortened(first?.text.replace(/\.$/, "") ?? "", SUBJECT_MAX_LENGTH - rest.length) + rest;
}

/** Cuts a text after a word. */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength);
  const end = cut.lastIndexOf(" ");
  return `${cut.slice(0, end > 0 ? end : maxLength - 1).replace(/[\s.,:;(“]+$/, "")}…`;
}

function textOf({ name }: Brand, links: Links, sections: readonly DigestSection[]): string {
  const lines = sections.flatMap(({ topic, items }) => [
    TOPIC_TITLES[topic].toUpperCase(),
    "",
    ...items.slice(0, ITEMS_MAX).flatMap(({ text, path }) => [`- ${text}`, `  ${links.to(path)}`]),
    ...(items.length > ITEMS_MAX ? [`- ${more(items)}`] : []),
    "",
  ]);
  return [
    `News from ${name}:`,
    "",
    ...lines,
    "You get at most one such e-mail a day. Choose what it contains:",
    links.to("/account"),
    "",
    "Unsubscribe without signing in:",
    links.unsubscribeUrl,
    "",
  ].join("\n");
}

function more(items: readonly DigestItem[]): string {
  return `and ${items.length - ITEMS_MAX} more, in the console`;
}

/** Uses no tables, images or scripts. Mail programs that ignore the style sheet use the inline styles of the light theme. */
function htmlOf(brand: Brand, links: Links, sections: readonly DigestSection[]): string {
  const { name, supportUrl, shades } = brand;
  const { light, main } = shades ? { light: shades[4] ?? "", main: shades[6] ?? "" } : OWN_SHADES;
  const small = "margin:0 0 8px;font-size:13px;line-height:20px;color:#5f636d";
  const link = (url: string, label: string) =>
    html`<a class="accent" href="${url}" style="color:${main};text-decoration:underline">${label}</a>`;
  const support = supportUrl ? html` · ${link(supportUrl, "Support")}` : nothing;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subjectOf(sections)}</title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .ground { background: #0d0e11 !important; }
  .card { background: #121317 !important; border-color: #26282f !important; }
  .text { color: #e6e7eb !important; }
  .quiet { color: #9ea1ad !important; }
  .line { border-color: #26282f !important; }
  .accent { color: ${light} !important; }
}
</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f4f5f7">
<div class="ground" style="padding:24px 12px;background:#f4f5f7;font-family:Inter,system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<div class="card" style="max-width:560px;margin:0 auto;padding:28px 24px;background:#ffffff;border:1px solid #e9eaee;border-radius:12px">
<p class="accent" style="margin:0 0 20px;font-size:18px;line-height:24px;font-weight:600;color:${main}">${name}</p>
${sections.map((section) => sectionOf(section, links, link))}
<div class="line" style="margin-top:28px;padding-top:16px;border-top:1px solid #e9eaee">
<p class="quiet" style="${small}">You get at most one such e-mail a day.</p>
<p class="quiet" style="${small}">${link(links.to("/account"), "Choose what you get")} · ${link(links.unsubscribeUrl, "Unsubscribe")}${support}</p>
</div>
</div>
</div>
</body>
</html>
`.text;
}

function sectionOf({ topic, items }: DigestSection, links: Links, link: (url: string, label: string) => Html): Html {
  const rest = items.length > ITEMS_MAX;
  return html`<h2 class="text" style="margin:24px 0 8px;font-size:15px;line-height:20px;font-weight:600;color:#17181c">${TOPIC_TITLES[topic]}</h2>
${items.slice(0, ITEMS_MAX).map(
  ({ text, path }) =>
    html`<p class="text" style="margin:0 0 12px;font-size:15px;line-height:22px;color:#17181c;overflow-wrap:anywhere">${text} ${link(links.to(path), "Open")}</p>
`,
)}${rest ? html`<p class="quiet" style="margin:0 0 12px;font-size:15px;line-height:22px;color:#5f636d">${more(items)}</p>` : nothing}`;
}
