/**
 * Generated faults. Each place in the reducers that the short search runs is changed in every supported way (a
 * condition negated, a bound moved by one, an entry of a table left out, a state replaced by another), and the search
 * must detect it. A change that no search can detect, because the program behaves the same, survives and is named.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAst } from 'vite';
import { seededRandom } from '../helpers/virtual-world.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const REDUCERS = [
  ...['job', 'start-plan', 'upload-job', 'build-job', 'bulk-act', 'add-items', 'score-run', 'sent-once'],
  ...['deletion', 'whole-file', 'outbox', 'lease', 'undo', 'export', 'keep-offline'],
].map((name) => join(ROOT, 'electron/core/jobs', `${name}.ts`));
const LIMITER = ['rate-limiter', 'occupancy', 'window-places'].map((name) =>
  join(ROOT, 'electron/core/limits', `${name}.ts`),
);
/** Maximum time in ms. A search that does not end counts as a detection too. */
const MAX_MS = 120_000;
const AT_ONCE = 2;

interface Mutant {
  file: string;
  start: number;
  end: number;
  before: string;
  after: string;
  line: number;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>', '+': '-', '-': '+' },
  ...{ '&&': '||', '||': '&&' },
};

/**
 * The last index of a list, at which a loop that counts down begins. If it begins one further, it finds nothing there
 * and behaves the same.
 */
const isLastPlace = (text: string): boolean => /\.length - 1$/.test(text);

/** The changes of one node of the syntax tree: the range and its replacement. */
function* changesOf(node: Node, text: string): Generator<{ start: number; end: number; after: string }> {
  const { type, start, end } = node;
  const part = (one: Node) => text.slice(one.start, one.end);
  if (type === 'BinaryExpression' || type === 'LogicalExpression') {
    const { left, right, operator } = node as unknown as { left: Node; right: Node; operator: string };
    const other = OPERATORS[operator];
    if (other !== undefined && !isLastPlace(part(node)))
      yield { start, end, after: `(${part(left)} ${other} ${part(right)})` };
  }
  if (type === 'ConditionalExpression') {
    const { test, consequent, alternate } = node as unknown as Record<string, Node>;
    if (test !== undefined && consequent !== undefined && alternate !== undefined)
      yield { start, end, after: `(${part(test)} ? ${part(alternate)} : ${part(consequent)})` };
  }
  if (type === 'IfStatement') {
    const { test } = node as unknown as { test: Node };
    yield { start: test.start, end: test.end, after: `!(${part(test)})` };
  }
  if (type === 'ArrayExpression') {
    const elements = (node['elements'] as Node[]).filter((one) => one?.type === 'Literal');
    const all = node['elements'] as Node[];
    for (const one of elements)
      yield {
        start,
        end,
        after: `[${all
          .filter((each) => each !== one)
          .map(part)
          .join(', ')}]`,
      };
  }
  if (type === 'Literal' && typeof node['value'] === 'boolean')
    yield { start, end, after: String(node['value'] !== true) };
  if (type === 'UnaryExpression' && node['operator'] === '!')
    yield { start, end, after: part(node['argument'] as Node) };
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const one of value) yield* nodesOf(one);
  if (!isNode(value) || isWords(value)) return;
  yield value;
  for (const [field, part] of Object.entries(value)) {
    if (field !== 'type' && typeof part === 'object') yield* nodesOf(part);
  }
}

/** The ranges of each file that the short search never runs. */
async function unusedRanges(): Promise<Map<string, { start: number; end: number }[]>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  // Imported only now, because code that was compiled before the coverage started is not counted.
  const { SHORT_SEARCHES } = await import('./machines.ts');
  for (const one of SHORT_SEARCHES) one.run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return new Map(
    result.map(({ url, functions }) => [
      url,
      functions.flatMap(({ ranges }) =>
        ranges
          .filter(({ count }) => count === 0)
          .map(({ startOffset, endOffset }) => ({ start: startOffset, end: endOffset })),
      ),
    ]),
  );
}

/** Whether a text is part of a message, whose wording the search cannot check. */
const isWording = (text: string): boolean => /reason|message|text|notNow|plural/i.test(text);
const isWords = ({ type, id }: Node): boolean =>
  type === 'FunctionDeclaration' && isNode(id) && /Text$/.test(String(id['name']));

async function allMutants(): Promise<Mutant[]> {
  const unused = await unusedRanges();
  return [...REDUCERS, ...LIMITER].flatMap((path) => {
    const file = pathToFileURL(path).href;
    const text = stripTypeScriptTypes(readFileSync(path, 'utf8'));
    const idle = unused.get(file) ?? [];
    return [...nodesOf(parseAst(text))]
      .flatMap((node) => [...changesOf(node, text)])
      .filter(({ start, end }) => !idle.some((range) => range.start <= start && end <= range.end))
      .map(({ start, end, after }) => ({
        ...{ file, start, end, after, before: text.slice(start, end) },
        line: text.slice(0, start).split('\n').length,
      }))
      .filter(({ before }) => !isWording(before));
  });
}

/** Whether the search detects a fault. A run that takes too long counts as a detection. */
function isKilled({ file, start, end, after }: Mutant): Promise<boolean> {
  const path = new URL(file);
  const original = stripTypeScriptTypes(readFileSync(path, 'utf8'));
  const text = original.slice(0, start) + after + original.slice(end);
  const args = ['--import', pathToFileURL(join(import.meta.dirname, 'mutate.mjs')).href];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...args, join(import.meta.dirname, 'run.ts'), 'short'],
      { env: { ...process.env, MUTANT: JSON.stringify({ file, text }) }, timeout: MAX_MS },
      (problem) => resolve(problem !== null),
    );
  });
}

/** Tries `count` faults chosen by `seed`. Returns whether at most two in forty survive. */
export async function tryMutants(count: number, seed: number, say: (line: string) => void): Promise<boolean> {
  const random = seededRandom(seed);
  const all = (await allMutants())
    .map((mutant) => ({ mutant, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ mutant }) => mutant);
  const drawn = all.slice(0, count);
  const waiting = [...drawn];
  let killed = 0;
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const isNoticed = await isKilled(mutant);
      if (isNoticed) killed += 1;
      const place = `${relative(ROOT, new URL(mutant.file).pathname)}:${mutant.line}`;
      const change = `${mutant.before} → ${mutant.after}`.replaceAll(/\s+/g, ' ');
      say(`${isNoticed ? 'noticed ' : 'SURVIVED'}  ${place}: ${change}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  say(`${killed} of ${drawn.length} faults noticed, drawn from ${all.length} (seed ${seed})`);
  return killed >= Math.floor(drawn.length * 0.95);
}
