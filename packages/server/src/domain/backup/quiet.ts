/**
 * The one place that decides whether a server may send anything to others: webhooks, e-mail and whatever else is sent without being
 * asked for. A restored or copied database must not, because the original usually still sends the same.
 */
import { conflict } from "../../platform/primitives/faults.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Store } from "../store.ts";

export const QUIET = 'this is a copy, which sends nothing until "dbdepot-server activate"';

/** Asks the database each time, so that neither a copy nor an activation has to wait for a restart. */
export async function isQuiet({ copies }: Pick<Store, "copies">): Promise<boolean> {
  return (await copies.copied()) !== undefined;
}

/** Makes a copy send webhooks and e-mail from now on. Returns when it was copied. */
export async function activateCopy(operation: Operation): Promise<Date> {
  return operation.store.change(async (tables) => {
    const copied = await tables.copies.copied();
    if (!copied) throw conflict("this is not a copy, or it was activated before");
    await tables.copies.unmark();
    await record(tables, operation, { action: "copy.activated", subject: "copy", before: { copied }, after: null });
    return copied;
  });
}
