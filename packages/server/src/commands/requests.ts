import { REQUEST_STATES } from "@dbdepot/contract/shared/choices";
import { type Command, examples, Option, type Result } from "@dbdepot/terminal/command";
import { formatDay } from "@dbdepot/terminal/format";
import { organizationIdOf } from "../domain/access/find-organization.ts";
import { grantRequest } from "../domain/licences/licences.ts";
import { standingOf } from "../domain/licences/standing.ts";
import type { AccessRequest } from "../domain/requests/request.ts";
import { declineRequest } from "../domain/requests/requests.ts";
import { requestToWire } from "../domain/requests/wire.ts";
import type { Operation } from "../domain/store.ts";
import type { CommandContext, Run } from "./context.ts";
import { changeOf, TERMS_OPTION } from "./licences.ts";
import { postOf } from "./post.ts";
import { timeOrDuration, timeOrNever } from "./values.ts";

const EXAMPLE_ID = "019a8c40-11b7-7c52-9f3a-6d0e2b4c8a15";

export function addRequestCommands(program: Command, run: Run): void {
  const requests = program.command("requests").description("List, grant and decline customers' requests for licences");

  requests
    .command("list")
    .description("List requests, of all organizations or of one, pending ones first")
    .argument("[org]", "organization, by id or exact name")
    .addOption(new Option("--state <state>", "only requests in this state").choices(REQUEST_STATES))
    .addHelpText("after", examples("dbdepot-server requests list --state pending"))
    .action(
      run(async ({ output, store: openStore, clock }, org, { state }) => {
        const store = await openStore();
        const organizationId = await organizationIdOf(store, org);
        const found = await store.requests.list({ organizationId, state });
        const now = clock();
        const wires = await Promise.all(found.map((request) => toWire(store, request, now)));
        return {
          json: wires,
          text: output.table(
            ["ID", "ORGANIZATION", "FAMILY", "STATE", "REQUESTED", "BY", "LICENCE NOW", "MESSAGE", "REPLY"],
            wires.map((request) => [
              request.id,
              request.organization_name,
              request.base,
              request.state,
              formatDay(new Date(request.created)),
              request.email,
              request.standing,
              firstLine(request.message),
              firstLine(request.reply ?? ""),
            ]),
            "No requests found.",
          ),
        };
      }),
    );

  requests
    .command("grant")
    .description("Grant the licence that a request asks for, and notify the person who asked")
    .argument("<request>", "request id")
    .requiredOption("--redistribution <kind>", "evaluation, internal or redistribute")
    .option(
      "--starts <time>",
      "start of the licence: a date, or a duration from now like 7d (default: now)",
      timeOrDuration,
    )
    .option(
      "--expires <time>",
      'end of the licence: a date, a duration from now like 365d, or "never" (default: never; for an evaluation, DBDEPOT_EVALUATION_DAYS)',
      timeOrNever,
    )
    .option("--renews-at <time>", "when the contract renews automatically: a date, or a duration from now", timeOrNever)
    .option("--notice-due-at <time>", "last day to give notice: a date, or a duration from now", timeOrNever)
    .option(...TERMS_OPTION)
    .option("--reply <text>", "message to the person who asked")
    .addHelpText(
      "after",
      examples(`dbdepot-server requests grant ${EXAMPLE_ID} \\`, "  --redistribution internal --expires 365d"),
    )
    .action(
      run(async (context, id, { redistribution, starts, reply, ...change }) => {
        const operation = await context.operation();
        const terms = { redistribution, starts, reply, ...changeOf(change) };
        return decisionResult(context, operation, await grantRequest(operation, id, terms));
      }),
    );

  requests
    .command("decline")
    .description("Decline a request, and notify the person who asked")
    .argument("<request>", "request id")
    .requiredOption("--reason <text>", "reason, which the customer sees")
    .addHelpText(
      "after",
      examples(
        `dbdepot-server requests decline ${EXAMPLE_ID} \\`,
        '  --reason "This database is not available in your country."',
      ),
    )
    .action(
      run(async (context, id, { reason }) => {
        const operation = await context.operation();
        return decisionResult(context, operation, await declineRequest(operation, id, reason));
      }),
    );
}

async function decisionResult(
  context: CommandContext,
  { store, now }: Operation,
  request: AccessRequest,
): Promise<Result> {
  const sent = await postOf(context).sendAbout(request.id);
  const mailed = sent?.state === "sent";
  const wire = await toWire(store, request, now);
  return {
    json: { ...wire, mailed, mail: sent },
    text: context.output.details({
      id: wire.id,
      organization: wire.organization_name,
      family: wire.base,
      state: wire.state,
      ...(wire.reply && { reply: wire.reply }),
      ...(wire.licence_id && { licence: wire.licence_id }),
      answer: mailed
        ? `sent to ${wire.email}`
        : sent?.state === "waiting"
          ? `shown in the console; the e-mail to ${wire.email} will be sent later`
          : `shown in the console; no e-mail was sent to ${wire.email}`,
    }),
  };
}

async function toWire(store: Operation["store"], request: AccessRequest, now: Date) {
  const { organizationId, base } = request;
  const organization = await store.organizations.byId(organizationId);
  const licences = await store.licences.list({ organizationId, base });
  return requestToWire(request, organization?.name ?? organizationId, standingOf(licences, now));
}

function firstLine(text: string): string | undefined {
  const [line = "", ...more] = text.split("\n");
  return (more.length > 0 ? `${line} …` : line) || undefined;
}
