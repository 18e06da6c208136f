import type { Build } from "../../src/builds/build.ts";
import type { Customer } from "../customer.ts";
import { stages } from "../stages.ts";
import { type TestService, testService } from "../test-service.ts";

/** A catalogue with something for every answer, and a customer of it. */
export interface Scene extends TestService {
  customer: Customer;
  /** Of v1: authorized for `vpn_ip_v1`, `soon_ip_v1`. */
  uuid: string;
  /** The published one of `vpn_ip_v1`. */
  build: Build;
}

export async function openScene(settings: Record<string, string> = {}): Promise<Scene> {
  const [stage] = stages();
  if (!stage) throw new Error("there is no stage");
  const depot = await testService(stage, settings);
  const { operator, clock } = depot;
  for (const id of ["vpn_ip_v1", "ended_ip_v1", "foreign_ip_v1", "soon_ip_v1"]) await operator.addDatabase(id);
  const build = await operator.publish("vpn_ip_v1");
  const customer = await operator.customer("Acme", { scopes: ["db.download", "apikeys.manage"] });
  const { organizationId } = customer;
  await operator.grant(organizationId, "vpn_ip");
  await operator.grant(organizationId, "soon_ip");
  const starts = clock.now();
  await operator.grant(organizationId, "ended_ip", { starts, expires: new Date(starts.getTime() + 1000) });
  clock.advance("60 seconds");
  const { uuid } = await operator.legacyCustomer(["vpn_ip_v1", "soon_ip_v1"], organizationId);
  return { ...depot, customer, uuid, build };
}
