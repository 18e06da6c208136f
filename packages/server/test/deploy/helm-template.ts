/** Renders the part of Helm's template language that the chart uses. Fails for anything else, and for values that do not exist. */
import { stringify } from "yaml";

interface Node {
  kind: "text" | "output" | "if" | "with" | "range" | "define";
  /** The text itself, or the pipeline of an action. */
  text: string;
  body: Node[];
  otherwise: Node[];
}

interface Scope {
  dot: unknown;
  variables: Record<string, unknown>;
}

const ACTION = /\{\{(-?)\s*(.*?)\s*(-?)\}\}/gs;

export class HelmTemplates {
  /** The blocks that templates include, by name. */
  readonly #definitions = new Map<string, Node[]>();

  constructor(helpers: string) {
    for (const { kind, text, body } of parse(helpers)) {
      if (kind === "define") this.#definitions.set(JSON.parse(text), body);
    }
  }

  render(template: string, root: Record<string, unknown>): string {
    return this.#render(parse(template), { dot: root, variables: { $: root } });
  }

  #render(nodes: readonly Node[], scope: Scope): string {
    return nodes.map((node) => this.#renderNode(node, scope)).join("");
  }

  #renderNode({ kind, text, body, otherwise }: Node, scope: Scope): string {
    if (kind === "text") return text;
    if (kind === "output") return String(this.#evaluate(text, scope));
    const [, key, item, expression = text] = /^(\$\w+), (\$\w+) := (.*)$/.exec(text) ?? [];
    const value = this.#evaluate(expression, scope);
    if (isEmpty(value)) return this.#render(otherwise, scope);
    const inside = (dot: unknown, variables = {}) =>
      this.#render(body, { dot, variables: { ...scope.variables, ...variables } });
    if (kind !== "range") return inside(kind === "with" ? value : scope.dot);
    const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value as object).toSorted();
    return entries.map(([name, each]) => inside(each, key && item && { [key]: name, [item]: each })).join("");
  }

  #evaluate(pipeline: string, scope: Scope): unknown {
    const [first = "", ...commands] = pipeline.split(/\s*\|\s*/);
    let value = this.#call(first, [], scope);
    // Each result is the last argument of the next command.
    for (const command of commands) value = this.#call(command, [value], scope);
    return value;
  }

  #call(command: string, input: unknown[], scope: Scope): unknown {
    const [name = "", ...words] = command.match(/"[^"]*"|\S+/g) ?? [];
    const values = [...words.map((word) => operand(word, scope)), ...input];
    if (name === "include") return this.#include(String(values[0]), { ...scope, dot: values[1] });
    const call = FUNCTIONS[name];
    if (call) return call(...(values as never[]));
    if (values.length > 0) throw new Error(`unknown function ${name}`);
    return operand(name, scope);
  }

  #include(name: string, scope: Scope): string {
    const body = this.#definitions.get(name);
    if (!body) throw new Error(`${name} is not defined`);
    return this.#render(body, scope);
  }
}

function parse(source: string): Node[] {
  const top: Node[] = [];
  const blocks: Node[] = [];
  /** Where nodes are added, innermost last. */
  const branches = [top];
  let position = 0;
  let isTrimmed = false;
  const addText = (end: number, trimsEnd: boolean) => {
    const text = source.slice(position, end);
    const start = isTrimmed ? text.trimStart() : text;
    branches.at(-1)?.push({ kind: "text", text: trimsEnd ? start.trimEnd() : start, body: [], otherwise: [] });
  };
  for (const { 0: match, 1: left, 2: action = "", 3: right, index } of source.matchAll(ACTION)) {
    addText(index, left === "-");
    position = index + match.length;
    isTrimmed = right === "-";
    const [, keyword = "output", text = action] = /^(if|with|range|define|else|end)\b\s*(.*)$/s.exec(action) ?? [];
    const node: Node = { kind: keyword as Node["kind"], text, body: [], otherwise: [] };
    if (keyword === "end" || keyword === "else") {
      if (branches.length === 1) throw new Error(`unexpected {{ ${action} }}`);
      branches.pop();
      const block = blocks.pop();
      if (keyword === "end" || !block) continue;
      blocks.push(block);
      branches.push(block.otherwise);
      continue;
    }
    branches.at(-1)?.push(node);
    if (keyword === "output") continue;
    blocks.push(node);
    branches.push(node.body);
  }
  addText(source.length, false);
  if (branches.length > 1) throw new Error("missing {{ end }}");
  return top;
}

const FUNCTIONS: Record<string, (...values: never[]) => unknown> = {
  default: (usual: unknown, value: unknown) => (isEmpty(value) ? usual : value),
  nindent: (spaces: number, text: string) => `\n${text.replaceAll(/^/gm, " ".repeat(spaces))}`,
  not: (value: unknown) => isEmpty(value),
  quote: (value: unknown) => JSON.stringify(String(value)),
  toYaml: (value: unknown) => stringify(value, { version: "1.1", sortMapEntries: true }).trimEnd(),
};

/** A path such as `.Values.image`, a variable, a string or a number. */
function operand(word: string, { dot, variables }: Scope): unknown {
  if (/^["\d]/.test(word)) return JSON.parse(word);
  const [first = "", ...names] = word.split(".");
  if (first !== "" && !(first in variables)) throw new Error(`unknown function or variable ${word}`);
  return names
    .filter((name) => name !== "")
    .reduce<unknown>(
      (value, name) => {
        if (typeof value !== "object" || value === null || !(name in value)) throw new Error(`${word} does not exist`);
        return value[name as keyof typeof value];
      },
      first === "" ? dot : variables[first],
    );
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return !value;
}
