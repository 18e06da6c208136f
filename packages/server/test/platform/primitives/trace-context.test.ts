import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTraceparent, parseTraceparent } from "../../../src/platform/primitives/trace-context.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID = "00f067aa0ba902b7";

describe("traceparent", () => {
  it("is parsed and formatted", () => {
    for (const flags of ["00", "01", "ff"]) {
      const header = `00-${TRACE_ID}-${SPAN_ID}-${flags}`;
      const trace = parseTraceparent(header);
      expect(trace).toEqual({ traceId: TRACE_ID, spanId: SPAN_ID, traceFlags: Number.parseInt(flags, 16) });
      expect(trace && formatTraceparent(trace)).toBe(header);
    }
  });

  it("is ignored or has ids of the right shape, for any text", () => {
    const part = fc.string({ unit: fc.constantFrom("0", "1", "f", "-", "g", "F", " "), maxLength: 60 });
    fc.assert(
      fc.property(fc.oneof(fc.string(), part), (text) => {
        const trace = parseTraceparent(text);
        if (trace) expect(formatTraceparent(trace)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
      }),
    );
  });

  it("may have more fields in a later version", () => {
    expect(parseTraceparent(`01-${TRACE_ID}-${SPAN_ID}-01-more`)?.traceId).toBe(TRACE_ID);
  });

  it.each([
    undefined,
    "",
    "nonsense",
    [`00-${TRACE_ID}-${SPAN_ID}-01`, `00-${TRACE_ID}-${SPAN_ID}-01`],
    `00-${TRACE_ID}-${SPAN_ID}`,
    `00-${TRACE_ID}-${SPAN_ID}-01-more`,
    `ff-${TRACE_ID}-${SPAN_ID}-01`,
    `00-${"0".repeat(32)}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${"0".repeat(16)}-01`,
    `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`,
    ` 00-${TRACE_ID}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${SPAN_ID}-01\n`,
  ])("is ignored if it is invalid: %j", (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});
