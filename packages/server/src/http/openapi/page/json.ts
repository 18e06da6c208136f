const LINE_WIDTH = 88;

/** JSON with short objects and arrays on one line. */
export function readableJson(value: unknown, indent = ""): string {
  const short = oneLine(value);
  if (typeof value !== "object" || value === null || indent.length + short.length <= LINE_WIDTH) return short;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const lines = Array.isArray(value)
    ? value.map((item) => inner + readableJson(item, inner))
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${readableJson(item, inner)}`);
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${oneLine(item)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
