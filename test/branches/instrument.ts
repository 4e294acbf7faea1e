/** Counts how often each branch of a source file runs: arms of conditions, right sides of operators, cases, defaults. */
import { stripTypeScriptTypes } from 'node:module';
import { parseAst } from 'vite';

/** One branch of a file. */
export interface Branch {
  /** Line of the untransformed source, from 1. */
  line: number;
  /** The kind and the beginning of its text: stays the same while other lines move. */
  name: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

interface Edit {
  at: number;
  text: string;
  /** Order of edits at one place: the smaller rank comes first. */
  rank: number;
}

const MAX_NAME_CHARS = 70;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const partOf = (node: Node, field: string): Node | null => {
  const part = node[field];
  return isNode(part) ? part : null;
};

class Instrumenter {
  readonly #text: string;
  readonly branches: Branch[] = [];
  readonly edits: Edit[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  visit(value: unknown, depth: number): void {
    if (Array.isArray(value)) for (const one of value) this.visit(one, depth);
    if (!isNode(value)) return;
    this.#count(value, depth);
    for (const [field, part] of Object.entries(value))
      if (field !== 'type' && typeof part === 'object') this.visit(part, depth + 1);
  }

  #count(node: Node, depth: number): void {
    const [test, consequent, alternate, right] = ['test', 'consequent', 'alternate', 'right'].map((field) =>
      partOf(node, field),
    );
    if (node.type === 'ConditionalExpression' && consequent && alternate) {
      this.#expression(consequent, 'then', depth);
      this.#expression(alternate, 'otherwise', depth);
    }
    if (node.type === 'LogicalExpression' && right)
      this.#expression(right, `after ${String(node['operator'])}`, depth);
    if (node.type === 'AssignmentPattern' && right) this.#expression(right, 'default', depth);
    if (node.type === 'IfStatement' && test && consequent) {
      this.#statement(consequent, this.#add(test, 'if'), depth);
      const otherwise = this.#add(test, 'if not');
      if (alternate) this.#statement(alternate, otherwise, depth);
      else this.edits.push({ at: consequent.end, text: ` else { ${otherwise}; }`, rank: -depth + 0.5 });
    }
    const body = node['consequent'];
    if (node.type === 'SwitchCase' && Array.isArray(body) && isNode(body[0]))
      this.edits.push({ at: body[0].start, text: `${this.#add(test ?? node, 'case')}; `, rank: depth });
  }

  #add(node: Node, kind: string): string {
    const text = this.#text.slice(node.start, node.end).replaceAll(/\s+/g, ' ').trim();
    const line = this.#text.slice(0, node.start).split('\n').length;
    this.branches.push({ line, name: `${kind}: ${text.slice(0, MAX_NAME_CHARS)}` });
    return `__branches[${this.branches.length - 1}]++`;
  }

  #expression(node: Node, kind: string, depth: number): void {
    this.edits.push({ at: node.start, text: `(${this.#add(node, kind)}, `, rank: depth });
    this.edits.push({ at: node.end, text: ')', rank: -depth });
  }

  #statement(node: Node, counter: string, depth: number): void {
    this.edits.push({ at: node.start, text: `{ ${counter}; `, rank: depth });
    this.edits.push({ at: node.end, text: ' }', rank: -depth });
  }
}

/** `file`: under this name the counts are kept in `globalThis.branchCounts`. */
export function instrument(source: string, file: string): { code: string; branches: readonly Branch[] } {
  const text = stripTypeScriptTypes(source);
  const instrumenter = new Instrumenter(text);
  instrumenter.visit(parseAst(text), 0);
  const { branches, edits } = instrumenter;
  let code = text;
  // From the end, so that earlier places stay valid; of one place, the last text first.
  for (const { at, text: inserted } of edits
    .map((edit, index) => ({ ...edit, index }))
    .toSorted((a, b) => b.at - a.at || b.rank - a.rank || b.index - a.index))
    code = code.slice(0, at) + inserted + code.slice(at);
  const counts = `((globalThis.branchCounts ??= {})[${JSON.stringify(file)}] ??= new Array(${branches.length}).fill(0))`;
  return { code: `const __branches = ${counts}; ${code}`, branches };
}
