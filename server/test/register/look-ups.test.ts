import { expect, it } from "vitest";
import { LookUps } from "../../src/register/look-ups.ts";

/** A database whose answers wait until they are let go. */
class Source {
  readonly queries: string[][] = [];
  readonly #waiting: (() => void)[] = [];
  readonly rows = new Map([
    ["a", { is: "a" }],
    ["b", { is: "b" }],
  ]);

  readonly findAll = async (keys: readonly string[]) => {
    this.queries.push([...keys]);
    const rows = new Map(this.rows);
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return rows;
  };

  /** Resolves when so many queries have been asked, and answers the last of them. */
  async answer(count: number): Promise<void> {
    await expect.poll(() => this.queries.length).toBe(count);
    this.#waiting.shift()?.();
  }
}

it("those who ask at the same time share a query, and those who ask meanwhile the next one", async () => {
  const source = new Source();
  const lookUps = new LookUps(source.findAll, 100);
  const first = [lookUps.get("a"), lookUps.get("none")];
  await expect.poll(() => source.queries.length).toBe(1);
  const second = [lookUps.get("b"), lookUps.get("c")];
  await source.answer(1);
  expect(await Promise.all(first)).toEqual([{ is: "a" }, undefined]);
  await source.answer(2);
  expect(await Promise.all(second)).toEqual([{ is: "b" }, undefined]);
  expect(source.queries).toEqual([
    ["a", "none"],
    ["b", "c"],
  ]);
});

it("what was found is remembered, also that there is nothing, until it is forgotten", async () => {
  const source = new Source();
  const lookUps = new LookUps(source.findAll, 100);
  const asked = [lookUps.get("a"), lookUps.get("none")];
  await source.answer(1);
  await Promise.all(asked);
  expect([lookUps.get("a"), lookUps.known("a"), lookUps.get("none")]).toEqual([{ is: "a" }, { is: "a" }, undefined]);
  lookUps.forget(["a"]);
  expect([lookUps.known("a"), lookUps.get("none")]).toEqual([undefined, undefined]);
  lookUps.forgetAll();
  expect(lookUps.get("none")).toBeInstanceOf(Promise);
  await source.answer(2);
});

it("an answer that was on its way when something was forgotten is not remembered", async () => {
  const source = new Source();
  const lookUps = new LookUps(source.findAll, 100);
  const asked = lookUps.get("a");
  await expect.poll(() => source.queries.length).toBe(1);
  lookUps.forget([]);
  await source.answer(1);
  expect(await asked).toEqual({ is: "a" });
  expect(lookUps.known("a")).toBeUndefined();
});

it("a query that fails fails those who asked, and the next one is asked anew", async () => {
  let isBroken = true;
  const lookUps = new LookUps(async (_keys: readonly string[]) => {
    if (isBroken) throw new Error("out of reach");
    return new Map([["a", { is: "a" }]]);
  }, 100);
  await expect(lookUps.get("a")).rejects.toThrow("out of reach");
  isBroken = false;
  expect(await lookUps.get("a")).toEqual({ is: "a" });
});
