import { describe, expect, it } from "vitest";
import { acceptsRedirect, parsePrograms, programsOf } from "../../../src/domain/programs/program.ts";
import { newUserCode, parseUserCode } from "../../../src/domain/programs/user-code.ts";

describe("programs", () => {
  it("are read from a setting, next to those that are built in", () => {
    const more = parsePrograms(
      "desktop=Desktop app,https://app.example.com/callback,com.example.app:/callback; tool = Tool , https://tool.example.com/ ;",
    );
    expect(more).toEqual([
      {
        id: "desktop",
        name: "Desktop app",
        redirects: ["https://app.example.com/callback", "com.example.app:/callback"],
        implied: [],
      },
      { id: "tool", name: "Tool", redirects: ["https://tool.example.com/"], implied: [] },
    ]);
    expect([...programsOf(more).keys()]).toEqual(["dbdepot-cli", "internetdata-cli", "desktop", "tool"]);
    expect(parsePrograms("")).toEqual([]);
    expect(parsePrograms(`long=${"x".repeat(40)}`)).toMatchObject([{ redirects: [] }]);
  });

  const WRONG = [
    "desktop",
    "=Name",
    "a b=Name",
    "desktop=",
    `desktop=${"x".repeat(41)}`,
    "desktop=a\u0007b",
    "desktop=Name,http://app.example.com/callback",
    "desktop=Name,http://127.0.0.1.example.com/callback",
    "desktop=Name,http://128.0.0.1/callback",
    "desktop=Name,ftp://localhost/callback",
    "desktop=Name,javascript:alert(1)",
    "desktop=Name,data:text/html",
    "desktop=Name,https://user@app.example.com/",
    "desktop=Name,https://app.example.com/#fragment",
    "dbdepot-cli=Mine",
    "tool=A;tool=B",
  ];
  it.each(WRONG)("refuse the setting %s", (text) => {
    expect(() => parsePrograms(text)).toThrow();
  });

  it("accept loopback redirects with any port, and others exactly as they are registered", () => {
    const [desktop] = parsePrograms("desktop=Name,http://127.0.0.1/callback,https://app.example.com/callback");
    const accepted = (redirect: string) => desktop && acceptsRedirect(desktop, redirect);
    expect(accepted("http://127.0.0.1:51004/callback")).toBe(true);
    expect(accepted("https://app.example.com/callback")).toBe(true);
    for (const other of [
      "http://127.0.0.1:51004/other",
      "http://127.0.0.1:51004/callback?x=1",
      "https://127.0.0.1:51004/callback",
      "http://localhost:51004/callback",
      "https://app.example.com:8443/callback",
      "https://app.example.com/callback/",
      "https://app.example.com/callback#x",
      "nonsense",
    ]) {
      expect([other, accepted(other)]).toEqual([other, false]);
    }
    const cli = programsOf().get("dbdepot-cli");
    expect(cli && acceptsRedirect(cli, "http://[::1]:4000/any/path")).toBe(true);
  });
});

describe("user codes", () => {
  it("have at least 40 bits, and are recognized however they are typed", () => {
    const code = newUserCode();
    expect(Math.log2(20) * code.replace("-", "").length).toBeGreaterThan(40);
    expect(parseUserCode(` ${code.toLowerCase().replace("-", " ")} `)).toBe(code);
    for (const wrong of ["", "BCDF-GHJK", "AAAAA-AAAAA", "BCDFG-HJKLM-N"]) expect(parseUserCode(wrong)).toBeUndefined();
  });
});
