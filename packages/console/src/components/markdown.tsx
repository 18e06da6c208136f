import { Anchor } from "@mantine/core";
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { createElement, Fragment, type ReactNode } from "react";
import classes from "./markdown.module.css";

/**
 * Renders headings, paragraphs, lists, emphasis, quotes, code and links. Everything else, such as HTML and images, is shown as it was
 * written.
 */
export function Markdown({ text }: { text: string }) {
  // Single line breaks count, so that a plain text keeps its lines.
  return <div className={classes.text}>{all(lexer(text, { breaks: true }), block)}</div>;
}

/** Elements without keys, because they never change their places. */
function all(tokens: readonly Token[], render: (token: MarkedToken) => ReactNode): ReactNode {
  return createElement(Fragment, null, ...tokens.map((token) => render(token as MarkedToken)));
}

function block(token: MarkedToken): ReactNode {
  switch (token.type) {
    case "space":
      return null;
    case "heading":
      // The title of the page has the first level.
      return createElement(`h${Math.min(token.depth + 1, 6)}`, null, all(token.tokens, inline));
    case "paragraph":
      return <p>{all(token.tokens, inline)}</p>;
    case "text":
      return all(token.tokens ?? [token], inline);
    case "blockquote":
      return <blockquote>{all(token.tokens, block)}</blockquote>;
    case "list":
      return createElement(
        token.ordered ? "ol" : "ul",
        token.start === "" ? null : { start: token.start },
        ...token.items.map(({ tokens }) => createElement("li", null, all(tokens, block))),
      );
    case "hr":
      return <hr />;
    case "code":
      return <pre>{token.text}</pre>;
    default:
      return <p className={classes.source}>{token.raw.trim()}</p>;
  }
}

function inline(token: MarkedToken): ReactNode {
  switch (token.type) {
    case "text":
      return token.tokens ? all(token.tokens, inline) : token.text;
    case "escape":
      return token.text;
    case "strong":
    case "em":
    case "del":
      return createElement(token.type, null, all(token.tokens, inline));
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return isSafe(token) ? <TextLink link={token} /> : token.raw;
    default:
      return token.raw;
  }
}

function TextLink({ link: { href, tokens } }: { link: Tokens.Link }) {
  return (
    <Anchor inherit underline="always" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {all(tokens, inline)}
    </Anchor>
  );
}

function isSafe({ href }: Tokens.Link): boolean {
  return /^(https|mailto):/i.test(href);
}
