import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { AuditEntry } from "../../../src/domain/audit/entry.ts";
import type { AuditFilter } from "../../../src/domain/audit/store.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";

function entry(but: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: newId(but.created ?? day(0)),
    actor: "ada@vendor.example",
    action: "licence.renewed",
    subject: newId(day(0)),
    before: { expires: "2027-01-01T00:00:00.000Z", nested: { list: [1, null, "ü"] } },
    after: { expires: null },
    created: new Date("2027-03-04T05:06:07.089Z"),
    ...but,
  };
}

for (const engine of engines) {
  describe(`AuditStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("returns every entry as it was written", async () => {
      const entries = [entry(), entry({ before: null, after: { name: 'O\'Neill "🚀"' }, actor: "root@host" })];
      for (const each of entries) await opened.store.audit.insert(each);
      for (const each of entries)
        expect(await opened.store.audit.list({ subjects: [each.subject], limit: 9 })).toEqual([each]);
    });

    it("lists entries newest first, of one subject or of all, up to a limit", async () => {
      const subject = newId(day(0));
      const [one, two, three] = [entry({ subject }), entry({ subject }), entry()];
      for (const each of [two, three, one]) await opened.store.audit.insert(each);
      expect(await opened.store.audit.list({ subjects: [subject], limit: 9 })).toEqual([two, one]);
      expect(await opened.store.audit.list({ subjects: [subject], limit: 1 })).toEqual([two]);
      expect(await opened.store.audit.list({ limit: 2 })).toEqual([three, two]);
      expect(await opened.store.audit.list({ subjects: ["nothing"], limit: 9 })).toEqual([]);
    });

    it("filters by actor, by action or its noun, and by time", async () => {
      const actor = `account:${newId(day(0))}`;
      const rows = [
        entry({ actor, action: "licence.granted", created: day(1) }),
        entry({ actor, action: "licence.ended", created: day(2) }),
        entry({ actor, action: "legacy_key.created", created: day(3) }),
        entry({ actor, action: "key.created", created: day(4) }),
      ] as const;
      for (const row of rows) await opened.store.audit.insert(row);
      const found = async (filter: Partial<AuditFilter>) => {
        const list = await opened.store.audit.list({ actor, limit: 9, ...filter });
        return rows.flatMap((row, i) => (list.some(({ id }) => id === row.id) ? [i] : []));
      };
      expect(await found({})).toEqual([0, 1, 2, 3]);
      expect(await found({ actor: `${actor}x` })).toEqual([]);
      expect(await found({ action: "licence.ended" })).toEqual([1]);
      expect(await found({ action: "licence" })).toEqual([0, 1]);
      expect(await found({ action: "key" })).toEqual([3]);
      expect(await found({ action: "lic" })).toEqual([]);
      expect(await found({ since: day(2), until: day(4) })).toEqual([1, 2]);
      expect(await found({ action: "licence", since: day(2) })).toEqual([1]);
    });

    it("finds who published builds", async () => {
      const published = entry({ action: "build.published", actor: "key:one" });
      const other = entry({ action: "build.published", actor: "key:two" });
      const withdrawn = entry({ action: "build.withdrawn", actor: "key:three", subject: published.subject });
      for (const each of [published, other, withdrawn]) await opened.store.audit.insert(each);
      expect(await opened.store.audit.actorsOf("build.published", [published.subject, newId(day(0))])).toEqual(
        new Map([[published.subject, "key:one"]]),
      );
      expect(await opened.store.audit.actorsOf("build.published", [])).toEqual(new Map());
    });
  });
}
