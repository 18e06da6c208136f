import type { ChangeNoticesRequest, NoticeChoices } from "@dbdepot/contract/console/notices";
import { type Choice, choicesOf, chooseTopic } from "../../domain/notices/choices.ts";
import type { PersonContext } from "../endpoint.ts";
import type { Services } from "../route.ts";

export async function getNotices({ services, caller }: PersonContext): Promise<NoticeChoices> {
  const { account } = caller;
  return toWire(services, choicesOf(account, await services.store.notices.recipient(account.id)));
}

export async function patchNotices(context: PersonContext<unknown, ChangeNoticesRequest>): Promise<NoticeChoices> {
  const { services, operation, caller, body } = context;
  return toWire(services, await chooseTopic(operation, caller, { topic: body.topic, isOn: body.enabled }));
}

function toWire({ console }: Services, choices: readonly Choice[]): NoticeChoices {
  return {
    mail: console.sendsNotices,
    topics: choices.map(({ topic, isOn }) => ({ topic, enabled: isOn })),
  };
}
