import { describe, expect, it } from "vitest";
import { columnWarnings } from "../../../src/domain/builds/publishing/warnings.ts";
import { build } from "../../adapters/sql/samples.ts";

/** Each column is given as its name and type, such as "network:string". */
function buildWith(schema: Record<string, string[]>) {
  const columns = Object.entries(schema).map(([format, texts]) => [
    format,
    texts.map((text) => ({ name: text.split(":")[0], type: text.split(":")[1] })),
  ]);
  return build("vpn_ip_v1", { metadata: Buffer.from(JSON.stringify({ schema: Object.fromEntries(columns) })) });
}

const CURRENT = buildWith({ csvgz: ["network:string", "asn:integer", "name:string"] });

describe("columnWarnings", () => {
  it.each([
    [["network:string", "asn:integer", "name:string"], undefined],
    [["network:string", "name:string"], '"asn" is missing'],
    [["network:string", "asn:integer", "name:string", "city:string"], '"city" is new'],
    [["network:string", "asn:string", "name:string"], '"asn" is string instead of integer'],
    [
      ["network:string", "name:string", "asn:integer"],
      'the order is ["network","name","asn"] instead of ["network","asn","name"]',
    ],
    [
      ["name:text", "network:string", "city:string"],
      '"asn" is missing, "city" is new, "name" is text instead of string, ' +
        'the order is ["name","network"] instead of ["network","name"]',
    ],
    [
      ["network:string", "asn:integer", "name:string", "name:string"],
      'the order is ["network","asn","name","name"] instead of ["network","asn","name"]',
    ],
  ])("compares %j with the current columns", (columns, changes) => {
    const expected = `csvgz columns differ from the current build: ${changes}. Add a new version for other columns`;
    expect(columnWarnings(buildWith({ csvgz: columns }), CURRENT)).toEqual(changes === undefined ? [] : [expected]);
  });

  it("compares only formats that both builds have", () => {
    expect(columnWarnings(buildWith({ mmdb: ["name:string"] }), CURRENT)).toEqual([]);
  });

  it("lists at most 20 differences", () => {
    const many = Array.from({ length: 30 }, (_, i) => `c${i}:string`);
    const [warning] = columnWarnings(buildWith({ csvgz: many }), buildWith({ csvgz: [] }));
    expect(warning).toContain('"c19" is new, and 10 more.');
    expect(warning).not.toContain('"c20"');
  });
});
