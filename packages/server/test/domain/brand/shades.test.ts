import fc from "fast-check";
import { expect, it } from "vitest";
import { shadesOf } from "../../../src/domain/brand/shades.ts";

/** The contrast ratio of WCAG 2. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it("derives shades that are readable in both themes, from every colour that is dark enough for white text", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const color = `#${number.toString(16).padStart(6, "0")}`;
      if (contrast(color, "#ffffff") < 4.5) {
        expect(() => shadesOf(color)).toThrow(`white text on ${color} is hard to read`);
        return;
      }
      const shades = shadesOf(color);
      expect(shades).toHaveLength(10);
      expect(contrast(shades[6] ?? "", "#ffffff")).toBeGreaterThan(5.5);
      expect(contrast(shades[6] ?? "", shades[0] ?? "")).toBeGreaterThan(4.5);
      expect(contrast(shades[4] ?? "", "#26282f")).toBeGreaterThanOrEqual(4.5);
      expect(contrast(shades[3] ?? "", "#26282f")).toBeGreaterThanOrEqual(4.5);
      const lightness = shades.map(luminance);
      expect(lightness).toEqual(lightness.toSorted((a, b) => b - a));
    }),
  );
});

it("suggests the nearest colour that is dark enough", () => {
  expect(() => shadesOf("#fc0")).toThrow(
    "white text on #fc0 is hard to read (contrast 1.5:1, at least 4.5:1 is needed): use a darker colour, such as #8f7200",
  );
  expect(shadesOf("#8f7200")).toHaveLength(10);
  for (const text of ["blue", "#12345", "#12345g", "rgb(1,2,3)"]) {
    expect(() => shadesOf(text)).toThrow(`must be a colour like #1a56db, not "${text}"`);
  }
});
