/** The device flow: the program shows a code, which a person enters in the console. */
import { newId } from "../../platform/primitives/ids.ts";
import { Token } from "../access/token.ts";
import type { Store, Tables } from "../store.ts";
import type { Program } from "./program.ts";
import { DEVICE_REQUEST_SECONDS, type DeviceRequest, polledTooSoon, type RequestedAccess } from "./program-key.ts";
import { type IssuedProgramKey, issueProgramKey, type Unattended } from "./program-keys.ts";
import { hashUserCode, newUserCode, parseUserCode } from "./user-code.ts";

export interface StartedRequest {
  deviceCode: Token;
  userCode: string;
}

export async function startDeviceRequest(
  { store, now }: Unattended,
  requested: RequestedAccess,
): Promise<StartedRequest> {
  const deviceCode = Token.generate();
  const userCode = newUserCode();
  const request: DeviceRequest = {
    ...requested,
    id: newId(now),
    created: now,
    expires: new Date(now.getTime() + DEVICE_REQUEST_SECONDS * 1000),
    lastPolled: null,
    isDenied: false,
    approval: null,
  };
  await store.programs.insertRequest(request, { device: deviceCode.hash(), user: hashUserCode(userCode) });
  return { deviceCode, userCode };
}

/** The request that waits for a person. Undefined if the code is wrong, has expired or was already used. */
export async function findWaiting(
  { programs }: Pick<Tables, "programs">,
  text: string,
  now: Date,
): Promise<(DeviceRequest & { userCode: string }) | undefined> {
  const userCode = parseUserCode(text);
  const found = userCode && (await programs.requestByUserCode(hashUserCode(userCode)));
  if (!found || found.expires <= now || found.isDenied || found.approval) return undefined;
  return { ...found, userCode };
}

/** Why a program that polls gets no key. */
export type PollProblem = "pending" | "too_soon" | "denied" | "expired";

/** Returns the key once a person has approved. The device code works once. */
export async function pollDeviceRequest(
  operation: Unattended,
  program: Program,
  text: string,
): Promise<IssuedProgramKey | PollProblem> {
  const deviceCode = Token.parse(text);
  if (!deviceCode) return "expired";
  const { store, now } = operation;
  const early = await findRequest(store, deviceCode, program, now);
  if (!early) return "expired";
  const isTooSoon = polledTooSoon(early, now);
  await store.programs.setPolled(early.id, now);
  if (isTooSoon) return "too_soon";
  if (!early.approval && !early.isDenied) return "pending";
  return store.change(async (tables) => {
    // Looked up again, because another process may have answered the same code in the meantime.
    const request = await findRequest(tables, deviceCode, program, now);
    if (!request) return "expired";
    await tables.programs.removeRequest(request.id);
    if (!request.approval) return "denied";
    return (await issueProgramKey(tables, operation, program, request, request.approval)) ?? "denied";
  });
}

async function findRequest(
  { programs }: Pick<Store, "programs">,
  deviceCode: Token,
  program: Program,
  now: Date,
): Promise<DeviceRequest | undefined> {
  const found = await programs.requestByDeviceCode(deviceCode.hash());
  return found && found.programId === program.id && found.expires > now ? found : undefined;
}
