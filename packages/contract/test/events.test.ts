import { describe, expect, it } from "vitest";
import { EVENT_TYPES, EVENTS } from "../src/v2/events.ts";

describe("events", () => {
  it("have one schema per type, named after it", () => {
    expect(Object.keys(EVENTS)).toEqual(EVENT_TYPES);
    for (const type of EVENT_TYPES) expect(EVENTS[type].properties.type.const).toBe(type);
    expect(EVENTS["build.published"]).toMatchObject({ title: "BuildPublishedEvent" });
    const titles = Object.values(EVENTS).map((schema) => "title" in schema && schema.title);
    expect(new Set(titles).size).toBe(EVENT_TYPES.length);
  });
});
