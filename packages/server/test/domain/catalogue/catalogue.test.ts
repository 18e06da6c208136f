import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { addFamily, addVersion, requireFamily, requireVersion } from "../../../src/domain/catalogue/catalogue.ts";
import { NOW, operatorOn } from "../organizations/operator.ts";

const vpn = { base: "vpn_ip", name: "VPN IP", visibility: "public" } as const;
const first = { id: "vpn_ip_v1", summary: "Exit addresses of VPN services", formats: ["csvgz", "mmdb"] } as const;

for (const engine of eitherEngine()) {
  describe(`addFamily on ${engine.name}`, () => {
    const { opened, operation, expectAudited, expectRefused } = operatorOn(engine);

    it("adds a family and an audit entry", async () => {
      const family = await expectAudited(
        () => addFamily(operation(), { ...vpn, name: " VPN IP " }),
        (added) => ({
          action: "family.added",
          subject: "vpn_ip",
          after: added,
        }),
      );
      expect(family).toEqual({ ...vpn, created: NOW, archived: null, open: false });
      expect(await requireFamily(opened.store, "vpn_ip")).toEqual(family);
    });

    it("adds a private family", async () => {
      await addFamily(operation(), { ...vpn, base: "secret_ip", visibility: "private" });
      expect(await requireFamily(opened.store, "secret_ip")).toMatchObject({ visibility: "private" });
    });

    it("limits names so that there is room for a version number", async () => {
      const longest = "a".repeat(53);
      await addFamily(operation(), { ...vpn, base: longest });
      await addVersion(operation(), { ...first, id: `${longest}_v999999999` });
      await expectRefused(() => addFamily(operation(), { ...vpn, base: `a${longest}` }), "invalid", "1 to 53 letters");
    });

    it.each(["", "vpn-ip", "vpn ip", "vpn.ip", "../vpn", "vpñ", "vpn\n"])("refuses the id %j", async (base) => {
      const adding = () => addFamily(operation(), { ...vpn, base });
      if (base.includes("\n")) await expect(adding()).rejects.toThrow("is not a valid family name");
      else await expectRefused(adding, "invalid", `"${base}" is not a valid family name`);
    });

    it("refuses an id that looks like a version", async () => {
      await expectRefused(() => addFamily(operation(), { ...vpn, base: "x_v1" }), "invalid", 'named without "_v<n>"');
    });

    it.each(["", " ", "two\nlines", "nul\0", "a".repeat(501)])("refuses the name %j", async (name) => {
      await expectRefused(
        () => addFamily(operation(), { ...vpn, base: "fresh", name }),
        "invalid",
        "a family's name must be one line",
      );
    });

    it("refuses a family that exists", async () => {
      await expectRefused(() => addFamily(operation(), vpn), "conflict", "vpn_ip already exists");
    });
  });

  describe(`addVersion on ${engine.name}`, () => {
    const { opened, operation, expectAudited, expectRefused } = operatorOn(engine);

    it("adds a version and an audit entry", async () => {
      await addFamily(operation(), vpn);
      const version = await expectAudited(
        () => addVersion(operation(), first),
        (added) => ({
          action: "version.added",
          subject: "vpn_ip_v1",
          after: added,
        }),
      );
      expect(version).toEqual({
        ...first,
        base: "vpn_ip",
        number: 1,
        currentBuildId: null,
        created: NOW,
        archived: null,
        recompress: false,
        tables: false,
      });
      expect(await requireVersion(opened.store, "vpn_ip_v1")).toEqual(version);
    });

    it("stores each format once, in the order of the contract", async () => {
      const { formats } = await addVersion(operation(), {
        ...first,
        id: "vpn_ip_v2",
        formats: ["mmdb", "csvgz", "mmdb"],
      });
      expect(formats).toEqual(["csvgz", "mmdb"]);
    });

    it.each([
      ["an id without a number", { id: "vpn_ip" }, "invalid", "use <family>_v<n>"],
      ["an id with number 0", { id: "vpn_ip_v0" }, "invalid", "use <family>_v<n>"],
      [
        "a summary of two lines",
        { id: "vpn_ip_v3", summary: "two\nlines" },
        "invalid",
        "a version's summary must be one line",
      ],
      ["no summary", { id: "vpn_ip_v3", summary: " " }, "invalid", "a version's summary must be one line"],
      ["no format", { id: "vpn_ip_v3", formats: [] }, "invalid", "at least one format: csvgz, mmdb"],
      ["an unknown format", { id: "vpn_ip_v3", formats: ["csvgz", "zip"] }, "invalid", '"zip" is not a format'],
      ["an id of an unknown family", { id: "bogon_ip_v1" }, "not_found", 'no family "bogon_ip"'],
      ["an id that exists", { id: "vpn_ip_v1" }, "conflict", "vpn_ip_v1 already exists"],
      ["mmdb for provider ids", { id: "x_provider_v1" }, "invalid", "cannot be built as mmdb"],
    ] as const)("refuses %s", async (_, but, kind, message) => {
      await expectRefused(() => addVersion(operation(), { ...first, ...but }), kind, message);
    });

    it("adds a CSV version to a family keyed by provider id", async () => {
      await addFamily(operation(), { ...vpn, base: "x_provider" });
      const { formats } = await addVersion(operation(), { ...first, id: "x_provider_v1", formats: ["csvgz"] });
      expect(formats).toEqual(["csvgz"]);
    });

    it("explains when a family is used as a version, or a version as a family", async () => {
      await expectRefused(
        () => requireVersion(opened.store, "vpn_ip"),
        "not_found",
        "its versions are named vpn_ip_v<n>",
      );
      await expectRefused(() => requireVersion(opened.store, "nothing_v1"), "not_found", 'no version "nothing_v1"');
      await expectRefused(
        () => requireFamily(opened.store, "vpn_ip_v1"),
        "not_found",
        "a version of the family vpn_ip",
      );
      await expectRefused(() => requireFamily(opened.store, "nothing"), "not_found", 'no family "nothing"');
    });
  });
}
