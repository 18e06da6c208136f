import { expect } from "vitest";
import type { Action } from "../../src/audit/entry.ts";
import { Fault, type FaultKind } from "../../src/primitives/faults.ts";
import type { Operation } from "../../src/store.ts";
import { type OpenedStore, sharedStore, type TestEngine } from "../engines.ts";
import { day } from "../licences/terms.ts";

const ACTOR = "ada@vendor.example";
/** The moment at which the operator works, unless another is said. */
export const NOW = new Date(day(50).getTime() + 123);
const HASH = /[0-9a-f]{32}/;

interface Desk {
  opened: OpenedStore;
  operation(now?: Date): Operation;
  /** Does it, and looks that exactly one entry tells who did what to what, when, and how it looked before and after. */
  audited<T>(work: () => Promise<T>, deed: (result: T) => Deed): Promise<T>;
  /** Looks that it is refused in one line, and that not a row has changed. */
  refused(work: () => Promise<unknown>, kind: FaultKind, message: string): Promise<void>;
}

interface Deed {
  action: Action;
  subject: string;
  before?: object;
  after: object;
  now?: Date;
}

/** The operator's desk on an engine, with an eye on what each action leaves behind. */
export function deskOn(engine: TestEngine): Desk {
  const opened = sharedStore(engine);
  return {
    opened,
    operation: (now = NOW) => ({ store: opened.store, actor: ACTOR, now }),
    audited: async (work, describe) => {
      const known = new Set((await allEntries(opened)).map(({ id }) => id));
      const revision = await opened.store.revision();
      const result = await work();
      const entries = (await allEntries(opened)).filter(({ id }) => !known.has(id));
      const { action, subject, before = null, after, now = NOW } = describe(result);
      expect(entries).toEqual([
        {
          id: expect.any(String),
          actor: ACTOR,
          action,
          subject,
          before: asJson(before),
          after: asJson(after),
          created: now,
        },
      ]);
      expect(JSON.stringify(entries)).not.toMatch(HASH);
      expect(await opened.store.revision()).toBe(revision + 1);
      return result;
    },
    refused: async (work, kind, message) => {
      const before = await opened.dump();
      const fault = await work().then(
        () => undefined,
        (error) => error,
      );
      expect(fault).toBeInstanceOf(Fault);
      expect(fault).toMatchObject({ kind, message: expect.stringContaining(message) });
      expect(fault.message).toMatch(/^[^\n\r]+$/);
      expect(await opened.dump()).toEqual(before);
    },
  };
}

function allEntries({ store }: OpenedStore) {
  return store.audit.list({ limit: 10_000 });
}

function asJson(value: object | null): unknown {
  return JSON.parse(JSON.stringify(value));
}
