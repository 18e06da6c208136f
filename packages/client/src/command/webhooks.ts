import { type Command, examples, type Result, UsageError } from "@dbdepot/terminal/command";
import { exchangeText } from "@dbdepot/terminal/http-exchange";
import type { Output } from "@dbdepot/terminal/output";
import { integer, parseList } from "@dbdepot/terminal/values";
import type { Webhooks } from "../api/webhooks.ts";
import type {
  CreateWebhookRequest,
  Delivery,
  EventType,
  IssuedWebhook,
  UpdateWebhookRequest,
  Webhook,
} from "../api/wire.gen.ts";
import { DbdepotError } from "../errors.ts";
import type { Run } from "./context.ts";

const ALL = "all";
const DELIVERIES_SHOWN = 20;
const LIMIT_MAX = 100_000;
const WEBHOOK_ARGUMENT = "webhook id, or the beginning of one";

export function addWebhookCommands(program: Command, run: Run): void {
  const webhooks = program
    .command("webhooks")
    .description("Have events sent to your servers (needs a key with the scope apikeys.manage)");

  webhooks
    .command("list")
    .description("List your organization's webhooks")
    .action(
      run(async ({ output, client }) => {
        const found = await client().webhooks.list();
        return {
          json: found,
          text: output.table(
            ["URL", "STATE", "EVENTS", "LAST DELIVERED", "DESCRIPTION", "ID"],
            found.map((webhook) => [
              webhook.url,
              stateOf(webhook),
              webhook.event_types ?? ALL,
              webhook.last_delivered ?? "never",
              webhook.description,
              webhook.id,
            ]),
            "No webhooks.",
          ),
        };
      }),
    );

  webhooks
    .command("create")
    .description("Create a webhook and show its secret once")
    .argument("<url>", "https:// URL to send events to")
    .option("--events <list>", 'comma-separated types of events, or "all" (default: all)', parseList)
    .option("--description <text>", "what the webhook is for")
    .addHelpText("after", examples("dbdepot webhooks create https://hooks.example.com/ --events build.published"))
    .action(
      run(async ({ output, client }, url, { events, description }) => {
        const request: CreateWebhookRequest = { url };
        if (events !== undefined) request.event_types = eventTypes(events);
        if (description !== undefined) request.description = description;
        return issuedResult(output, await client().webhooks.create(request));
      }),
    );

  webhooks
    .command("update")
    .description("Change the URL, the events or the description of a webhook, or disable or enable it")
    .argument("<webhook>", WEBHOOK_ARGUMENT)
    .option("--url <url>", "new URL")
    .option("--events <list>", 'comma-separated types of events that replace the current ones, or "all"', parseList)
    .option("--description <text>", "new description")
    .option("--enable", "send events again, from now on")
    .option("--disable", "send no more events")
    .action(
      run(async ({ output, client }, webhook, { url, events, description, enable, disable }) => {
        if (enable && disable) throw new UsageError("use either --enable or --disable");
        const changes: UpdateWebhookRequest = {};
        if (url !== undefined) changes.url = url;
        if (events !== undefined) changes.event_types = eventTypes(events);
        if (description !== undefined) changes.description = description;
        if (enable || disable) changes.enabled = enable === true;
        if (Object.keys(changes).length === 0) throw new UsageError("name at least one option to change");
        const { webhooks } = client();
        const changed = await webhooks.update(await findWebhook(webhooks, webhook), changes);
        return { json: changed, text: output.details(fieldsOf(changed)) };
      }),
    );

  webhooks
    .command("delete")
    .description("Delete a webhook and the log of its deliveries")
    .argument("<webhook>", WEBHOOK_ARGUMENT)
    .action(
      run(async ({ client }, webhook) => {
        const { webhooks } = client();
        const id = await findWebhook(webhooks, webhook);
        await webhooks.delete(id);
        return { json: { id }, text: `Deleted the webhook ${id}.\n` };
      }),
    );

  webhooks
    .command("rotate")
    .description("Issue a new secret for a webhook and show it once; the old one works for another 24 hours")
    .argument("<webhook>", WEBHOOK_ARGUMENT)
    .action(
      run(async ({ output, client }, webhook) => {
        const { webhooks } = client();
        return issuedResult(output, await webhooks.rotate(await findWebhook(webhooks, webhook)));
      }),
    );

  webhooks
    .command("test")
    .description("Send a test event to a webhook and show the response")
    .argument("<webhook>", WEBHOOK_ARGUMENT)
    .action(
      run(async ({ output, client }, webhook) => {
        const { webhooks } = client();
        return deliveryResult(output, await webhooks.test(await findWebhook(webhooks, webhook)));
      }),
    );

  webhooks
    .command("deliveries")
    .description("List the requests to a webhook, newest first")
    .argument("<webhook>", WEBHOOK_ARGUMENT)
    .option("--limit <n>", "maximum number of requests", integer(1, LIMIT_MAX), DELIVERIES_SHOWN)
    .action(
      run(async ({ output, client }, webhook, { limit }) => {
        const { webhooks } = client();
        const found: Delivery[] = [];
        for await (const delivery of webhooks.deliveries(await findWebhook(webhooks, webhook))) {
          found.push(delivery);
          if (found.length === limit) break;
        }
        return {
          json: found,
          text: output.table(
            ["TIME", "EVENT", "ATTEMPT", "OUTCOME", "RESPONSE", "MS", "ID"],
            found.map((delivery) => [
              delivery.created,
              delivery.event_type,
              delivery.attempt,
              delivery.outcome,
              delivery.http_status ?? delivery.error,
              delivery.duration_ms,
              delivery.id,
            ]),
            "No requests in the last 30 days.",
          ),
        };
      }),
    );

  webhooks
    .command("delivery")
    .description("Show one request to a webhook and the response, with headers and bodies")
    .argument("<webhook>", WEBHOOK_ARGUMENT)
    .argument("<delivery>", "delivery id")
    .action(
      run(async ({ output, client }, webhook, delivery) => {
        const { webhooks } = client();
        const details = await webhooks.delivery(await findWebhook(webhooks, webhook), delivery);
        const { text } = deliveryResult(output, details);
        return { json: details, text: text + exchangeText(details) };
      }),
    );

  webhooks
    .command("redeliver")
    .description("Send the event of a delivery again and show the response")
    .argument("<webhook>", WEBHOOK_ARGUMENT)
    .argument("<delivery>", "delivery id")
    .action(
      run(async ({ output, client }, webhook, delivery) => {
        const { webhooks } = client();
        const id = await findWebhook(webhooks, webhook);
        return deliveryResult(output, await webhooks.redeliver(id, delivery).catch(explainMissing));
      }),
    );
}

function explainMissing(error: unknown): never {
  if (!(error instanceof DbdepotError) || error.kind !== "not_found") throw error;
  throw new Error("there is no such delivery, or its event can't be sent again: it was a test, or is no longer stored");
}

/** The service checks the types, because it may have some that this command does not know. */
function eventTypes(names: readonly string[]): EventType[] | null {
  return names.length === 1 && names[0] === ALL ? null : (names as EventType[]);
}

/** Returns the id of the webhook whose id begins with `text`. */
async function findWebhook(webhooks: Webhooks, text: string): Promise<string> {
  const found = (await webhooks.list()).filter(({ id }) => id.startsWith(text));
  const [first, ...others] = found;
  if (!first) throw new Error(`no webhook has an id that begins with "${text}": "dbdepot webhooks list" shows all`);
  if (others.length > 0) throw new Error(`"${text}" matches ${found.length} webhooks; use more characters`);
  return first.id;
}

function stateOf({ enabled, disabled_reason: reason, failing_since: since }: Webhook): string {
  if (!enabled) return reason === "manual" ? "disabled" : `disabled (${reason})`;
  return since === null ? "enabled" : `failing since ${since}`;
}

function fieldsOf(webhook: Webhook) {
  const { id, url, event_types: events, description } = webhook;
  return { id, url, events: events ?? ALL, state: stateOf(webhook), ...(description !== "" && { description }) };
}

function issuedResult(output: Output, issued: IssuedWebhook): Result {
  const text = output.details({ ...fieldsOf(issued), secret: issued.secret });
  return { json: issued, text: `${text}Store the secret now: it is not shown again.\n` };
}

function deliveryResult(output: Output, delivery: Delivery): Result {
  const { outcome, event_type: event, http_status: status, error, duration_ms: ms, id } = delivery;
  return {
    json: delivery,
    text: output.details({ outcome, event, response: status ?? error, ms, id }),
    exitCode: outcome === "delivered" ? 0 : 1,
  };
}
