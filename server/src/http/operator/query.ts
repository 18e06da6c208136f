import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Convert } from "typebox/value";
import { parseTime } from "../../dates.ts";
import { invalid } from "../../faults.ts";
import type { Request } from "../request.ts";
import { inWords } from "./schema-faults.ts";

/** Reads a query strictly: a filter that is mistyped and passed over would show everything. */
export function queryReader<Q extends TSchema>(schema: Q): (request: Request) => Static<Q> {
  let compiled: ReturnType<typeof Compile> | undefined;
  return ({ query }) => {
    compiled ??= Compile(schema);
    const check = compiled;
    const value = Convert(schema, { ...query });
    if (!check.Check(value)) throw invalid(inWords(check.Errors(value)));
    return value as Static<Q>;
  };
}

/** A moment as it was sent, or the fault that it is none. */
export function moment(name: string, text: string): Date;
export function moment(name: string, text: string | undefined): Date | undefined;
export function moment(name: string, text: string | null | undefined): Date | null | undefined;
export function moment(name: string, text: string | null | undefined): Date | null | undefined {
  if (text === undefined || text === null) return text;
  const time = parseTime(text);
  if (!time) throw invalid(`${name}: "${text}" is no date: write it like 2027-01-31 or 2027-01-31T12:00:00Z`);
  return time;
}
