import { WEBHOOK_SORTS } from "@dbdepot/contract/operator/webhooks";
import { EVENT_TYPES, type EventType } from "@dbdepot/contract/v2/events";
import { type Command, examples, type Result } from "@dbdepot/terminal/command";
import { formatTime } from "@dbdepot/terminal/format";
import { exchangeText } from "@dbdepot/terminal/http-exchange";
import type { Output } from "@dbdepot/terminal/output";
import { parseList } from "@dbdepot/terminal/values";
import { organizationIdOf, requireActiveOrganization } from "../domain/access/find-organization.ts";
import { isQuiet } from "../domain/backup/quiet.ts";
import type { Tables } from "../domain/store.ts";
import { redeliver, requireDelivery, sendTest } from "../domain/webhooks/deliveries.ts";
import type { Delivery, Webhook } from "../domain/webhooks/webhook.ts";
import {
  createWebhook,
  deleteWebhook,
  requireWebhook,
  rotateWebhook,
  updateWebhook,
} from "../domain/webhooks/webhooks.ts";
import {
  deliveryDetailsToWire,
  deliveryToWire,
  issuedWebhookToWire,
  webhookToOperatorWire,
} from "../domain/webhooks/wire.ts";
import { invalid } from "../platform/primitives/faults.ts";
import type { CommandContext, Run } from "./context.ts";
import { SEARCH_OPTION, sortOption } from "./lists.ts";

const DELIVERIES_SHOWN = 50;
const ALL = "all";
const EVENTS_OPTION = `comma-separated types of events, or "${ALL}"`;

export function addWebhookCommands(program: Command, run: Run): void {
  const webhooks = program.command("webhooks").description("Manage the webhooks of organizations");

  webhooks
    .command("list")
    .description("List webhooks, of all organizations or of one")
    .argument("[org]", "organization, by id or exact name")
    .option(...SEARCH_OPTION)
    .addOption(sortOption(WEBHOOK_SORTS))
    .action(
      run(async ({ output, store: openStore }, org, request) => {
        const store = await openStore();
        const names = new Map((await store.organizations.list()).map(({ id, name }) => [id, name]));
        const organizationId = await organizationIdOf(store, org);
        const { items: found } = await store.webhooks.page({ organizationId }, request);
        return {
          json: found.map(webhookToOperatorWire),
          text: output.table(
            ["URL", "ORGANIZATION", "STATE", "EVENTS", "LAST DELIVERED", "DESCRIPTION", "ID"],
            found.map((webhook) => [
              webhook.url,
              names.get(webhook.organizationId),
              stateOf(webhook),
              webhook.eventTypes ?? ALL,
              webhook.progress.lastDelivered ? formatTime(webhook.progress.lastDelivered) : "never",
              webhook.description,
              webhook.id,
            ]),
            request.search ? "No webhook matches." : "No webhooks yet.",
          ),
        };
      }),
    );

  webhooks
    .command("create")
    .description("Create a webhook and show its secret once")
    .requiredOption("--org <org>", "organization whose events are sent, by id or exact name")
    .requiredOption("--url <url>", "https:// URL to send events to")
    .option("--events <list>", `${EVENTS_OPTION} (default: all)`, parseList)
    .option("--description <text>", "what the webhook is for")
    .addHelpText(
      "after",
      examples(
        "dbdepot-server webhooks create --org Acme --url https://hooks.example.com/dbdepot",
        "dbdepot-server webhooks create --org Acme --url https://hooks.example.com/dbdepot \\",
        "  --events build.published,build.withdrawn",
      ),
    )
    .action(
      run(async ({ output, operation }, { org, url, events, description }) => {
        const owner = (tables: Tables) => requireActiveOrganization(tables, org);
        const request = { url, description, eventTypes: eventTypesOf(events) };
        return issuedResult(output, await createWebhook(await operation(), owner, request));
      }),
    );

  webhooks
    .command("update")
    .description("Change the URL, the events or the description of a webhook, or disable or enable it")
    .argument("<webhook>", "webhook id")
    .option("--url <url>", "new URL")
    .option("--events <list>", `${EVENTS_OPTION} that replace the current ones`, parseList)
    .option("--description <text>", "new description")
    .option("--enable", "send events again, from now on")
    .option("--disable", "send no more events")
    .addHelpText("after", examples("dbdepot-server webhooks update 019a8c40-11b7-7c52-9f3a-6d0e2b4c8a15 --enable"))
    .action(
      run(async ({ output, operation }, id, { url, events, description, enable, disable }) => {
        if (enable && disable) throw invalid("use either --enable or --disable");
        const isEnabled = enable ? true : disable ? false : undefined;
        const changes = { url, description, eventTypes: eventTypesOf(events), isEnabled };
        return webhookResult(output, await updateWebhook(await operation(), subjectOf(id), changes));
      }),
    );

  webhooks
    .command("delete")
    .description("Delete a webhook and its delivery log")
    .argument("<webhook>", "webhook id")
    .action(
      run(async ({ operation }, id) => {
        const { id: deleted, url } = await deleteWebhook(await operation(), subjectOf(id));
        return { json: { id: deleted }, text: `Deleted the webhook for ${url}.\n` };
      }),
    );

  webhooks
    .command("rotate")
    .description("Issue a new secret for a webhook and show it once; the old one works for another 24 hours")
    .argument("<webhook>", "webhook id")
    .action(
      run(async ({ output, operation }, id) =>
        issuedResult(output, await rotateWebhook(await operation(), subjectOf(id))),
      ),
    );

  webhooks
    .command("test")
    .description("Send a test event to a webhook and show the response")
    .argument("<webhook>", "webhook id")
    .action(
      run(async (context, id) => {
        const request = await requestOf(context);
        return deliveryResult(context.output, await sendTest(request, await requireWebhook(request.store, id)));
      }),
    );

  webhooks
    .command("deliveries")
    .description("List the latest requests to a webhook, newest first")
    .argument("<webhook>", "webhook id")
    .action(
      run(async ({ output, store: openStore }, id) => {
        const store = await openStore();
        const { id: webhookId } = await requireWebhook(store, id);
        const found = await store.webhooks.deliveries({ webhookId, limit: DELIVERIES_SHOWN });
        return {
          json: found.map(deliveryToWire),
          text: output.table(
            ["TIME", "EVENT", "ATTEMPT", "OUTCOME", "RESPONSE", "MS", "ID"],
            found.map((delivery) => [
              formatTime(delivery.created),
              delivery.eventType,
              delivery.attempt,
              delivery.outcome,
              delivery.httpStatus ?? delivery.error,
              delivery.durationMs,
              delivery.id,
            ]),
            "No deliveries yet.",
          ),
        };
      }),
    );

  webhooks
    .command("delivery")
    .description("Show one request to a webhook and the response, with headers and bodies")
    .argument("<webhook>", "webhook id")
    .argument("<delivery>", "delivery id")
    .action(
      run(async ({ output, store: openStore }, id, delivery) => {
        const store = await openStore();
        const found = await requireDelivery(store, await requireWebhook(store, id), delivery);
        const json = deliveryDetailsToWire(found);
        return { json, text: deliveryResult(output, found).text + exchangeText(json) };
      }),
    );

  webhooks
    .command("redeliver")
    .description("Send the event of a delivery again and show the response")
    .argument("<webhook>", "webhook id")
    .argument("<delivery>", "delivery id")
    .action(
      run(async (context, id, delivery) => {
        const request = await requestOf(context);
        const webhook = await requireWebhook(request.store, id);
        return deliveryResult(context.output, await redeliver(request, webhook, delivery));
      }),
    );
}

const subjectOf = (id: string) => (tables: Tables) => requireWebhook(tables, id);

async function requestOf({ settings, store, clock }: CommandContext) {
  // Imported on demand, because node:http is slow to load and few commands send requests.
  const { createSender } = await import("../domain/webhooks/sender.ts");
  const opened = await store();
  const { webhookPrivateNetworks: privateNetworks } = settings;
  const sender = createSender({ privateNetworks, isQuiet: () => isQuiet(opened) });
  return { store: opened, sender, now: clock() };
}

/** Undefined stays undefined; null stands for all types. */
function eventTypesOf(names: readonly string[] | undefined): EventType[] | null | undefined {
  if (names === undefined) return undefined;
  if (names.length === 1 && names[0] === ALL) return null;
  if (names.length === 0) throw invalid(`--events: name at least one event type, or "${ALL}"`);
  return names.map((name) => {
    const type = EVENT_TYPES.find((candidate) => candidate === name);
    if (!type) throw invalid(`"${name}" is not an event type: choose from ${EVENT_TYPES.join(", ")}`);
    return type;
  });
}

function stateOf({ disabled, progress }: Webhook): string {
  if (disabled) return disabled.reason === "manual" ? "disabled" : `disabled (${disabled.reason})`;
  return progress.failingSince ? `failing since ${formatTime(progress.failingSince)}` : "enabled";
}

function fieldsOf(webhook: Webhook) {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.eventTypes ?? ALL,
    state: stateOf(webhook),
    ...(webhook.description !== "" && { description: webhook.description }),
  };
}

function webhookResult(output: Output, webhook: Webhook): Result {
  return { json: webhookToOperatorWire(webhook), text: output.details(fieldsOf(webhook)) };
}

function issuedResult(output: Output, webhook: Webhook): Result {
  const fields = { ...fieldsOf(webhook), secret: webhook.secret.reveal() };
  return {
    json: issuedWebhookToWire(webhook),
    text: `${output.details(fields)}Store the secret now: it is not shown again.\n`,
  };
}

function deliveryResult(output: Output, delivery: Delivery): Result {
  const { outcome, eventType, httpStatus, error, durationMs, id } = delivery;
  return {
    json: deliveryToWire(delivery),
    text: output.details({ outcome, event: eventType, response: httpStatus ?? error, ms: durationMs, id }),
    exitCode: outcome === "delivered" ? 0 : 1,
  };
}
