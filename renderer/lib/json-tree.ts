/** A JSON value as the lines of a collapsible tree. Pure. */
import { isRawNumber } from '../../electron/shared/exact-json.ts';
import { formatCount } from './format.ts';

type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export interface JsonLine {
  /** Path such as `a.b[0]`; the path of the root is empty. */
  path: string;
  depth: number;
  /** Key or index; null for the root. */
  name: string | null;
  kind: JsonKind;
  /** Text of a leaf, or a summary of a collapsed branch. */
  text: string;
  isBranch: boolean;
  isOpen: boolean;
}

/** Maximum number of lines. Larger values can be searched or copied. */
const MAX_LINES = 5_000;

function kindOf(value: unknown): JsonKind {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isRawNumber(value)) return 'number';
  if (typeof value === 'object') return 'object';
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string';
}

/** Appends a key or an index to a path: `a.b`, `a[0]`, `a["with space"]`. */
function joinPath(path: string, name: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${name}]`;
  if (!/^[\w$-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !isRawNumber(value) ? Object.entries(value) : [];
}

/** The lines in order. `isOpen` says whether the branch with this path and depth is expanded. */
export function jsonLines(value: unknown, isOpen: (path: string, depth: number) => boolean): JsonLine[] {
  const lines: JsonLine[] = [];
  const visit = (each: unknown, path: string, name: string | null, depth: number): void => {
    if (lines.length >= MAX_LINES) return;
    const kind = kindOf(each);
    const inside = entries(each);
    const isBranch = inside.length > 0;
    const open = isBranch && isOpen(path, depth);
    lines.push({
      path,
      depth,
      name,
      kind,
      text: lineText(each, kind, inside.length),
      isBranch,
      isOpen: open,
    });
    if (!open) return;
    for (const [key, child] of inside) visit(child, joinPath(path, key, kind === 'array'), key, depth + 1);
  };
  visit(value, '', null, 0);
  return lines;
}

/** The matching lines, and the branches that lead to them. */
export function keptLines(lines: readonly JsonLine[], isHit: (line: JsonLine) => boolean): JsonLine[] {
  const kept: JsonLine[] = [];
  /** By depth: whether the next branch above leads to a match. */
  const isNeeded: boolean[] = [];
  for (const line of lines.toReversed()) {
    const { depth } = line;
    if (!isNeeded[depth] && !isHit(line)) continue;
    isNeeded[depth] = false;
    if (depth > 0) isNeeded[depth - 1] = true;
    kept.push(line);
  }
  return kept.toReversed();
}

function lineText(value: unknown, kind: JsonKind, size: number): string {
  switch (kind) {
    case 'object':
      return size === 0 ? '{}' : formatCount(size, 'key');
    case 'array':
      return size === 0 ? '[]' : formatCount(size, 'entry', 'entries');
    case 'null':
      return 'null';
    case 'string':
    case 'number':
    case 'boolean':
      return String(value);
  }
}

/** The value at a path written by `joinPath`, found by walking the same lines. */
export function valueAt(root: unknown, path: string): unknown {
  if (path === '') return root;
  let found: unknown;
  const visit = (each: unknown, at: string): boolean => {
    if (at === path) {
      found = each;
      return true;
    }
    const isArray = Array.isArray(each);
    return entries(each).some(([key, child]) => {
      const next = joinPath(at, key, isArray);
      return (path === next || path.startsWith(next)) && visit(child, next);
    });
  };
  visit(root, '');
  return found;
}
