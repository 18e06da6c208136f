/** White text on the accent colour must be readable (WCAG 2 AA). */
const REQUIRED_CONTRAST = 4.5;
/** On tinted backgrounds the same colour has less contrast than on white, so the shade for text has some more. */
const TEXT_CONTRAST = 5.6;
/** Parts of charts and outlines need less than text. */
const SHAPE_CONTRAST = 3.2;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The lightest background that links have in the dark theme. */
const DARK: Rgb = [38, 40, 47];

type Rgb = readonly [number, number, number];

/**
 * Derives ten shades from a colour, from light to dark. The seventh is the colour itself, slightly darker if necessary: it has white text
 * on it, and is the colour of links on light backgrounds. The fifth is for links on dark ones.
 */
export function shadesOf(text: string): string[] {
  const color = requireReadable(text);
  const main = until(
    (step) => mix(color, BLACK, step),
    (shade) => contrast(shade, WHITE) >= TEXT_CONTRAST,
  );
  const onDark = until(
    (step) => mix(main, WHITE, 0.3 + step),
    (shade) => contrast(shade, DARK) >= REQUIRED_CONTRAST,
  );
  const shape = until(
    (step) => mix(main, WHITE, 0.16 - step),
    (shade) => contrast(shade, WHITE) >= SHAPE_CONTRAST,
  );
  const shades = [
    mix(main, WHITE, 0.92),
    mix(main, WHITE, 0.84),
    mix(onDark, WHITE, 0.55),
    mix(onDark, WHITE, 0.28),
    onDark,
    shape,
    main,
    mix(main, BLACK, 0.14),
    mix(main, BLACK, 0.26),
    mix(main, BLACK, 0.4),
  ];
  return shades.map(hex);
}

function requireReadable(text: string): Rgb {
  const color = parse(text);
  const found = contrast(color, WHITE);
  if (found >= REQUIRED_CONTRAST) return color;
  const darker = until(
    (step) => mix(color, BLACK, step),
    (shade) => contrast(shade, WHITE) >= REQUIRED_CONTRAST,
  );
  throw new Error(
    `white text on ${text} is hard to read (contrast ${found.toFixed(1)}:1, at least ${REQUIRED_CONTRAST}:1 is needed): use a darker colour, such as ${hex(darker)}`,
  );
}

function parse(text: string): Rgb {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(text);
  const digits = short ? short.slice(1).map((digit) => digit + digit) : /^#(..)(..)(..)$/.exec(text)?.slice(1);
  if (!digits || !/^#[\da-f]+$/i.test(text)) throw new Error(`must be a colour like #1a56db, not "${text}"`);
  const [red = 0, green = 0, blue = 0] = digits.map((pair) => Number.parseInt(pair, 16));
  return [red, green, blue];
}

/** The first shade that is good enough, in steps of one percent. */
function until(shadeAt: (step: number) => Rgb, isGood: (shade: Rgb) => boolean): Rgb {
  for (let step = 0; step < 1; step += 0.01) {
    const shade = shadeAt(step);
    if (isGood(shade)) return shade;
  }
  return shadeAt(1);
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const part = Math.min(1, Math.max(0, share));
  const at = (index: 0 | 1 | 2) => Math.round(one[index] * (1 - part) + other[index] * part);
  return [at(0), at(1), at(2)];
}

/** The contrast ratio of WCAG 2, from 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function hex(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
