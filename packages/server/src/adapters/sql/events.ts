import type { EventType } from "@dbdepot/contract/v2/events";
import type { Selectable } from "kysely";
import type { Event } from "../../domain/events/event.ts";
import type { EventStore } from "../../domain/events/store.ts";
import type { Queries } from "./connection.ts";
import { oldRows } from "./old-rows.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toTime } from "./values.ts";

export function sqlEvents(db: Queries, revision: () => number): EventStore {
  return {
    async insert(event) {
      await db
        .insertInto("events")
        .values(eventRow(event, revision()))
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
    },
    async after(position, limit) {
      let found = db.selectFrom("events").selectAll().orderBy("revision").orderBy("id").limit(limit);
      if (position) {
        found = found.where((where) =>
          where(where.refTuple("revision", "id"), ">", where.tuple(position.revision, position.id)),
        );
      }
      return (await found.execute()).map(toEvent);
    },
    async byId(id) {
      const row = await db.selectFrom("events").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toEvent(row);
    },
    async known(ids) {
      const rows = await inBatches(ids, (batch) =>
        db.selectFrom("events").select("id").where("id", "in", batch).execute(),
      );
      return new Set(rows.map(({ id }) => id));
    },
    async since(time, types) {
      const rows = await db
        .selectFrom("events")
        .selectAll()
        .where("created", ">=", toTime(time))
        .where("type", "in", types as EventType[])
        .orderBy("revision")
        .orderBy("id")
        .execute();
      return rows.map(toEvent);
    },
    async latest() {
      return db
        .selectFrom("events")
        .select(["revision", "id"])
        .orderBy("revision", "desc")
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
    },
    ...oldRows(db, "events"),
  };
}

function toEvent({ organization_id: organizationId, data, created, ...row }: Selectable<Schema["events"]>): Event {
  return { ...row, organizationId, data: JSON.parse(data), created: fromTime(created) };
}

export function eventRow(event: Omit<Event, "revision">, revision: number): Selectable<Schema["events"]> {
  const { id, type, organizationId, base, data, created } = event;
  return {
    id,
    revision,
    type,
    organization_id: organizationId,
    base,
    data: JSON.stringify(data),
    created: toTime(created),
  };
}
