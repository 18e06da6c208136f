import { describe, expect, it } from "vitest";
import { addFamily, addVersion, requireFamily, requireVersion } from "../../src/catalogue/catalogue.ts";
import { engines } from "../engines.ts";
import { deskOn, NOW } from "../organizations/desk.ts";

const vpn = { base: "vpn_ip", name: "VPN IP", visibility: "public" } as const;
const first = { id: "vpn_ip_v1", summary: "Exit addresses of VPN services", formats: ["csvgz", "mmdb"] } as const;

for (const engine of engines) {
  describe(`an operator on ${engine.name} adds a family`, () => {
    const { opened, operation, audited, refused } = deskOn(engine);

    it("which is there with its audit entry", async () => {
      const family = await audited(
        () => addFamily(operation(), { ...vpn, name: " VPN IP " }),
        (added) => ({
          action: "family.added",
          subject: "vpn_ip",
          after: added,
        }),
      );
      expect(family).toEqual({ ...vpn, created: NOW });
      expect(await requireFamily(opened.store, "vpn_ip")).toEqual(family);
    });

    it("that is private", async () => {
      await addFamily(operation(), { ...vpn, base: "secret_ip", visibility: "private" });
      expect(await requireFamily(opened.store, "secret_ip")).toMatchObject({ visibility: "private" });
    });

    it("whose name leaves room for a version's number", async () => {
      const longest = "a".repeat(53);
      await addFamily(operation(), { ...vpn, base: longest });
      await addVersion(operation(), { ...first, id: `${longest}_v999999999` });
      await refused(() => addFamily(operation(), { ...vpn, base: `a${longest}` }), "invalid", "1 to 53 letters");
    });

    it.each(["", "vpn-ip", "vpn ip", "vpn.ip", "../vpn", "vpñ", "vpn\n"])("but none called %j", async (base) => {
      const adding = () => addFamily(operation(), { ...vpn, base });
      if (base.includes("\n")) await expect(adding()).rejects.toThrow("is no family name");
      else await refused(adding, "invalid", `"${base}" is no family name`);
    });

    it("but none that is named like a version", async () => {
      await refused(() => addFamily(operation(), { ...vpn, base: "x_v1" }), "invalid", 'named without "_v<n>"');
    });

    it.each(["", " ", "two\nlines", "nul\0", "a".repeat(501)])("but none with the name %j", async (name) => {
      await refused(
        () => addFamily(operation(), { ...vpn, base: "fresh", name }),
        "invalid",
        "a family's name is one line",
      );
    });

    it("but none twice", async () => {
      await refused(() => addFamily(operation(), vpn), "conflict", "vpn_ip exists already");
    });
  });

  describe(`an operator on ${engine.name} adds a version`, () => {
    const { opened, operation, audited, refused } = deskOn(engine);

    it("to its family, with its audit entry", async () => {
      await addFamily(operation(), vpn);
      const version = await audited(
        () => addVersion(operation(), first),
        (added) => ({
          action: "version.added",
          subject: "vpn_ip_v1",
          after: added,
        }),
      );
      expect(version).toEqual({ ...first, base: "vpn_ip", number: 1, currentBuildId: null, created: NOW });
      expect(await requireVersion(opened.store, "vpn_ip_v1")).toEqual(version);
    });

    it("with its formats once each and in the contract's order", async () => {
      const { formats } = await addVersion(operation(), {
        ...first,
        id: "vpn_ip_v2",
        formats: ["mmdb", "csvgz", "mmdb"],
      });
      expect(formats).toEqual(["csvgz", "mmdb"]);
    });

    it.each([
      ["an id without a number", { id: "vpn_ip" }, "invalid", "it has the shape <family>_v<n>"],
      ["an id with number 0", { id: "vpn_ip_v0" }, "invalid", "it has the shape <family>_v<n>"],
      [
        "a summary of two lines",
        { id: "vpn_ip_v3", summary: "two\nlines" },
        "invalid",
        "a version's summary is one line",
      ],
      ["no summary", { id: "vpn_ip_v3", summary: " " }, "invalid", "a version's summary is one line"],
      ["no format", { id: "vpn_ip_v3", formats: [] }, "invalid", "at least one format: csvgz, mmdb"],
      ["an unknown format", { id: "vpn_ip_v3", formats: ["csvgz", "zip"] }, "invalid", '"zip" is no format'],
      ["an id of no family", { id: "bogon_ip_v1" }, "not_found", 'no family "bogon_ip"'],
      ["an id that is taken", { id: "vpn_ip_v1" }, "conflict", "vpn_ip_v1 exists already"],
      ["mmdb for provider ids", { id: "x_provider_v1" }, "invalid", "cannot be built as mmdb"],
    ] as const)("but not with %s", async (_, but, kind, message) => {
      await refused(() => addVersion(operation(), { ...first, ...but }), kind, message);
    });

    it("keyed by provider id, as CSV", async () => {
      await addFamily(operation(), { ...vpn, base: "x_provider" });
      const { formats } = await addVersion(operation(), { ...first, id: "x_provider_v1", formats: ["csvgz"] });
      expect(formats).toEqual(["csvgz"]);
    });

    it("and is told when a family is taken for a version, or a version for a family", async () => {
      await refused(() => requireVersion(opened.store, "vpn_ip"), "not_found", "its versions are named vpn_ip_v<n>");
      await refused(() => requireVersion(opened.store, "nothing_v1"), "not_found", 'no version "nothing_v1"');
      await refused(() => requireFamily(opened.store, "vpn_ip_v1"), "not_found", "a version of the family vpn_ip");
      await refused(() => requireFamily(opened.store, "nothing"), "not_found", 'no family "nothing"');
    });
  });
}
