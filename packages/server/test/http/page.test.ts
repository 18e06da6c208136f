import type { ListQuery } from "@dbdepot/contract/operator/queries";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Page, Position } from "../../src/domain/page.ts";
import { byId, listPage, pageOf } from "../../src/http/page.ts";
import type { RequestContext } from "../../src/http/route.ts";
import { Fault } from "../../src/platform/primitives/faults.ts";
import { newId } from "../../src/platform/primitives/ids.ts";

/** A request for the page at the cursor, and the `Link` header of the response. */
function requestAt(cursor: string | undefined, query: ListQuery = {}) {
  const headers: Record<string, string> = {};
  const context = {
    query: { ...query, ...(cursor !== undefined && { cursor }), limit: 1 },
    request: { route: { url: "/list" }, params: {} },
    reply: { header: (name: string, value: string) => Object.assign(headers, { [name]: value }) },
  } as unknown as Pick<RequestContext, "request" | "reply"> & { query: ListQuery };
  return { context, headers };
}

function nextOf({ link = "" }: Record<string, string>): URLSearchParams {
  return new URL(/<(.*)>/.exec(link)?.[1] ?? "", "http://depot.example").searchParams;
}

const encoded = (texts: fc.Arbitrary<string>) => texts.map((text) => Buffer.from(text).toString("base64url"));

it("looks up a cursor only if it could be one of ours, and otherwise refuses it", async () => {
  const texts = fc.string({ unit: "binary" });
  const positions = fc.tuple(fc.oneof(texts, fc.integer(), fc.constant(null)), fc.oneof(texts, fc.uuid()));
  const cursors = fc.oneof(fc.string(), encoded(texts), encoded(positions.map((position) => JSON.stringify(position))));
  await fc.assert(
    fc.asyncProperty(cursors, async (cursor) => {
      const asked: unknown[] = [];
      const { context } = requestAt(cursor);
      const find = async ({ from }: { from: string | undefined }) => {
        asked.push(from);
        return [];
      };
      const list = async ({ after }: { after?: Position | undefined }) => {
        asked.push(after?.value, after?.id);
        return emptyPage();
      };
      const results = [
        await pageOf(context, byId, find).catch((thrown) => thrown),
        await listPage(context, list).catch((thrown) => thrown),
      ];
      // PostgreSQL rejects NUL, so it must never get that far.
      expect(asked.join("")).not.toContain("\0");
      for (const result of results) expect(result instanceof Fault || Array.isArray(result)).toBe(true);
    }),
  );
});

it("continues exactly after the last item of a page, whatever it is called, with the same filters", async () => {
  const positions = fc.record({
    value: fc.oneof(fc.string({ unit: "grapheme" }), fc.nat()),
    id: fc.constant(newId(new Date())),
  });
  await fc.assert(
    fc.asyncProperty(positions, async (next) => {
      const first = requestAt(undefined, { search: "a&b", sort: "-name" });
      await listPage(first.context, async () => ({ items: [next], next }));
      const link = nextOf(first.headers);
      expect(Object.fromEntries(link)).toMatchObject({ search: "a&b", sort: "-name", limit: "1" });
      let continued: Position | undefined;
      await listPage(requestAt(link.get("cursor") ?? "").context, async ({ after }) => {
        continued = after;
        return emptyPage();
      });
      expect(continued).toEqual(next);
    }),
  );
});

function emptyPage(): Page<never> {
  return { items: [], next: undefined };
}
