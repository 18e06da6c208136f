import { ROLES } from "@dbdepot/contract/console/accounts";
import { ChangeNoticesRequest, NoticeChoices } from "@dbdepot/contract/console/notices";
import { NoQuery } from "@dbdepot/contract/operator/queries";
import { type Choice, choicesOf, chooseTopic } from "../../domain/notices/choices.ts";
import { endpoint, type PersonContext } from "../endpoint.ts";
import type { Services } from "../route.ts";

export const NOTICE_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/console/notices",
    scope: "account",
    roles: ROLES,
    respond: getNotices,
    summary: "List your notifications",
    description: "Returns the topics of the daily e-mail that your role gets, and which of them you have turned off.",
    query: NoQuery,
    response: NoticeChoices,
  }),
  endpoint({
    method: "PATCH",
    url: "/api/console/notices",
    scope: "account",
    roles: ROLES,
    respond: patchNotices,
    summary: "Turn notifications on or off",
    description: "Changes one topic for yourself.",
    body: ChangeNoticesRequest,
    response: NoticeChoices,
  }),
];

async function getNotices({ services, caller }: PersonContext): Promise<NoticeChoices> {
  const { account } = caller;
  return toWire(services, choicesOf(account, await services.store.notices.recipient(account.id)));
}

async function patchNotices(context: PersonContext<unknown, ChangeNoticesRequest>): Promise<NoticeChoices> {
  const { services, operation, caller, body } = context;
  return toWire(services, await chooseTopic(operation, caller, { topic: body.topic, isOn: body.enabled }));
}

function toWire({ console }: Services, choices: readonly Choice[]): NoticeChoices {
  return {
    mail: console.sendsNotices,
    topics: choices.map(({ topic, isOn }) => ({ topic, enabled: isOn })),
  };
}
