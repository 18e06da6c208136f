import { NOTICE_TOPICS, type NoticeTopic } from "@dbdepot/contract/console/notices";
import type { FastifyReply } from "fastify";
import { type Choice, ownerOfLink, unsubscribe } from "../domain/notices/choices.ts";
import { TOPIC_TITLES } from "../domain/notices/topics.ts";
import { type Html, html, nothing } from "../platform/primitives/html.ts";
import { htmlPage } from "./openapi/page/shell.ts";
import { sendLimited } from "./plugins/rate-limits.ts";
import type { RequestContext } from "./route.ts";

/**
 * The page that the link in a notification opens. It needs no session, and says nothing about the person. Opening it
 * changes nothing, because mail scanners open links too.
 */
export async function unsubscribePage(context: RequestContext): Promise<FastifyReply> {
  const { token } = questionOf(context);
  return respond(context, async () => {
    const owner = await ownerOfLink(context.services.store, token);
    return owner && choicesPage(token, owner.choices, undefined);
  });
}

/**
 * Turns off one topic, or all of them. Mail programs call it with one click (RFC 8058), with a body that is ignored,
 * because the URL says everything.
 */
export async function postUnsubscribe(context: RequestContext): Promise<FastifyReply> {
  const { token, topic } = questionOf(context);
  const { services, now } = context;
  return respond(context, async () => {
    const owner = await unsubscribe({ store: services.store, now }, token, topic);
    const done = topic ? `You are no longer notified of: ${TOPIC_TITLES[topic]}.` : "You are unsubscribed.";
    return owner && choicesPage(token, owner.choices, done);
  });
}

function questionOf({ request }: RequestContext): { token: string; topic: NoticeTopic | undefined } {
  const { token, topic } = request.query as Record<string, unknown>;
  return {
    token: typeof token === "string" ? token : "",
    topic: NOTICE_TOPICS.find((each) => each === topic),
  };
}

/** Limits how often links can be guessed. */
async function respond(
  { services, request, reply, now }: RequestContext,
  bodyOf: () => Promise<Html | undefined>,
): Promise<FastifyReply> {
  const { throttle, brand } = services.console;
  const attempt = { purpose: "unsubscribe", address: request.clientAddress } as const;
  const wait = throttle.take(attempt, now);
  if (wait > 0) return sendLimited(reply, wait);
  const found = await bodyOf();
  if (found) throttle.forgive(attempt);
  const { body, contentType, headers } = htmlPage("Notifications", brand, found ?? INVALID, { hasForm: true });
  return reply
    .code(found ? 200 : 404)
    .headers({
      ...headers,
      "cache-control": "no-store",
      "content-type": contentType,
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex",
    })
    .send(body);
}

const INVALID = html`<main id="content" class="narrow"><h1>This link is not valid</h1>
<p>It may be incomplete, or the account does not exist any more. You can also choose your notifications <a href="/console/account">in the console</a>.</p></main>`;

function choicesPage(token: string, choices: readonly Choice[], done: string | undefined): Html {
  const on = choices.filter(({ isOn }) => isOn);
  const action = `/unsubscribe?token=${token}`;
  const topics = on.map(
    ({ topic }) =>
      html`<li>${TOPIC_TITLES[topic]} <button formaction="${action}&topic=${topic}" aria-label="Stop notifications about ${TOPIC_TITLES[topic]}">Stop</button></li>
`,
  );
  const form = html`<form method="post" action="${action}">
<p><button class="main">Unsubscribe from all</button></p>
<p>Or stop single topics:</p>
<ul>
${topics}</ul>
</form>`;
  return html`<main id="content" class="narrow"><h1>Notifications by e-mail</h1>
${done === undefined ? nothing : html`<p role="status"><strong>${done}</strong></p>`}
${on.length === 0 ? html`<p>You get no notifications by e-mail.</p>` : form}
<p class="lead">To turn them on again, sign in and open <a href="/console/account">your account</a>.</p></main>`;
}
