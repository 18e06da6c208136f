import { expect } from "vitest";
import { type OpenedStore, sharedStore, type TestEngine } from "../../../../../rigs/harness/service/engines.ts";
import type { Action } from "../../../src/domain/audit/entry.ts";
import type { Operation } from "../../../src/domain/store.ts";
import { Fault, type FaultKind } from "../../../src/platform/primitives/faults.ts";
import { day } from "../licences/terms.ts";

const ACTOR = "ada@vendor.example";
/** The default time of an operation. */
export const NOW = new Date(day(50).getTime() + 123);
const HASH = /[0-9a-f]{32}/;

interface Operator {
  opened: OpenedStore;
  operation(now?: Date): Operation;
  /** Runs the operation and expects exactly one audit entry: who did what to what and when, with the state before and after. */
  expectAudited<T>(work: () => Promise<T>, describe: (result: T) => ExpectedEntry): Promise<T>;
  /** Runs the operation and expects a refusal with a message of one line, and no change in the database. */
  expectRefused(work: () => Promise<unknown>, kind: FaultKind, message: string): Promise<void>;
}

interface ExpectedEntry {
  action: Action;
  subject: string;
  before?: object;
  after: object;
  now?: Date;
}

/** Runs operations on an engine and checks their effects. */
export function operatorOn(engine: TestEngine): Operator {
  const opened = sharedStore(engine);
  return {
    opened,
    operation: (now = NOW) => ({ store: opened.store, actor: ACTOR, now }),
    expectAudited: async (work, describe) => {
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
    expectRefused: async (work, kind, message) => {
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
