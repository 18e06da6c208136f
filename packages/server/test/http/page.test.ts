import fc from "fast-check";
import { expect, it } from "vitest";
import { byEmail, byId, byName, type Order, pageOf } from "../../src/http/page.ts";
import type { RequestContext } from "../../src/http/route.ts";
import { Fault } from "../../src/platform/primitives/faults.ts";

interface Item {
  id: string;
  name: string;
  email: string;
}

/** Asks for a page and returns its `Link` header. */
async function linkAfter(order: Order<Item>, cursor: string, find: (from: string | undefined) => Item[]) {
  let link = "";
  const context = {
    query: { cursor, limit: 1 },
    request: { route: { url: "/list" }, params: {} },
    reply: {
      header: (_name: string, value: string) => {
        link = value;
      },
    },
  } as unknown as Pick<RequestContext, "request" | "reply"> & { query: object };
  await pageOf(context, order, async ({ from }) => find(from));
  return link;
}

it("looks up a cursor only if it could be one of ours, and otherwise refuses it", async () => {
  const encoded = fc.string({ unit: "binary" }).map((text) => Buffer.from(text).toString("base64url"));
  const orders = fc.constantFrom<Order<Item>>(byId, byName, byEmail);
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), encoded), orders, async (cursor, order) => {
      const asked: (string | undefined)[] = [];
      const find = (from: string | undefined) => {
        asked.push(from);
        return [];
      };
      const error = await linkAfter(order, cursor, find).catch((thrown) => thrown);
      // PostgreSQL rejects NUL, so it must never get that far.
      expect(asked.join("")).not.toMatch(/\p{Cc}/u);
      expect(error instanceof Fault).toBe(asked.length === 0);
    }),
  );
});

it("continues exactly after the last item of a page, whatever it is called", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (name) => {
      const item = { id: "", name, email: "" };
      const link = await linkAfter(byName, Buffer.from("a").toString("base64url"), () => [item, item]);
      const next = new URL(/<(.*)>/.exec(link)?.[1] ?? "", "http://depot.example").searchParams.get("cursor");
      let continued: string | undefined;
      await linkAfter(byName, next ?? "", (from) => {
        continued = from;
        return [];
      });
      expect(continued).toBe(name);
    }),
  );
});
