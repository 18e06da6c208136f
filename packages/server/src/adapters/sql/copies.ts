import type { CopyStore } from "../../domain/backup/store.ts";
import type { Queries } from "./connection.ts";
import { fromTime } from "./values.ts";

export function sqlCopies(db: Queries): CopyStore {
  return {
    async copied() {
      const row = await db.selectFrom("copies").select("copied").executeTakeFirst();
      return fromTime(row?.copied ?? null) ?? undefined;
    },
    async unmark() {
      await db.deleteFrom("copies").execute();
    },
  };
}
