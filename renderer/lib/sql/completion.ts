/** Completions at the cursor in typed SQL. Pure. */
import { type DescribedView, LISTS_SCHEMA } from '../../../electron/shared/sql-model.ts';
import { formatCount } from '../format.ts';
import { FUNCTIONS, KEYWORDS, type Token, tokensOf } from './tokens.ts';

interface Completion {
  kind: 'view' | 'column' | 'function' | 'keyword';
  label: string;
  /** The text that replaces the typed characters. */
  insert: string;
  /** Type of a column, number of rows of a view, or arguments of a function. */
  detail: string;
}

export interface Completions {
  /** Position of the first replaced character. */
  from: number;
  options: Completion[];
}

type View = Pick<DescribedView, 'name' | 'schema' | 'columns' | 'storedRows' | 'mostRows' | 'isComplete'>;

const MAX_OPTIONS = 50;
const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/i;
const RESERVED = new Set([
  ...KEYWORDS.flatMap((keyword) => keyword.split(' ')),
  'AT',
  'TABLE',
  'COLUMN',
  'TO',
  'USER',
]);

/** A name as SQL needs it: quoted if necessary. */
export function sqlName(name: string): string {
  return PLAIN_NAME.test(name) && !RESERVED.has(name.toUpperCase())
    ? name
    : `"${name.replaceAll('"', '""')}"`;
}

/** The view's name in a FROM clause. */
export function viewName({ schema, name }: Pick<DescribedView, 'schema' | 'name'>): string {
  return schema === null ? sqlName(name) : `${schema}.${sqlName(name)}`;
}

/** `4,116 rows`, `4,116 rows, not all`; `at most 9,000 rows` if the view was not counted. */
export function rowsText({
  storedRows,
  mostRows,
  isComplete,
}: Pick<DescribedView, 'storedRows' | 'mostRows' | 'isComplete'>): string {
  const rows =
    storedRows === null ? `at most ${formatCount(mostRows, 'row')}` : formatCount(storedRows, 'row');
  return `${rows}${isComplete ? '' : ', not all'}`;
}

/** `wanted`: the user asked for completions, so they are offered even if nothing is typed yet. */
export function completionsAt(
  sql: string,
  cursor: number,
  views: readonly View[],
  wanted: boolean,
): Completions | null {
  const tokens = tokensOf(sql);
  const before = tokens.filter(({ at }) => at < cursor);
  const last = before.at(-1);
  if (last !== undefined && isInside(last, cursor)) return null;
  const isWord = last !== undefined && isTyped(last);
  const typed = isWord ? sql.slice(last.at, cursor) : '';
  if (typed === '' && !wanted && last?.text !== '.') return null;
  const from = cursor - typed.length;
  const context = before.slice(0, isWord ? -1 : undefined).filter(({ text }) => text.trim() !== '');
  const options = optionsAfter(context, tokens, views)
    .map((option) => ({ option, rank: rankOf(option, typed) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ option }) => option)
    .slice(0, MAX_OPTIONS);
  const [only] = options;
  const isTypedOut = options.length === 1 && only?.insert.toLowerCase() === typed.toLowerCase();
  return options.length === 0 || isTypedOut ? null : { from, options };
}

const isTyped = ({ kind, text }: Token): boolean =>
  kind === 'keyword' ||
  kind === 'function' ||
  (kind === 'name' && (!text.startsWith('"') || !text.endsWith('"') || text === '"'));

/** Whether the cursor is in a text or comment, which is not completed. */
function isInside({ kind, text, at }: Token, cursor: number): boolean {
  if (kind === 'number') return true;
  if (kind === 'comment') return cursor < at + text.length || text.startsWith('--');
  return kind === 'text' && (cursor < at + text.length || !/^'.*'$/s.test(text));
}

function optionsAfter(
  context: readonly Token[],
  all: readonly Token[],
  views: readonly View[],
): Completion[] {
  const last = context.at(-1);
  if (last?.text === '.') {
    const owner = nameOf(context.at(-2));
    if (owner === LISTS_SCHEMA)
      return views.flatMap((each): Completion[] =>
        each.schema === null
          ? []
          : [{ kind: 'view', label: each.name, insert: sqlName(each.name), detail: rowsText(each) }],
      );
    const view = viewNamed(all, views, owner);
    return view === undefined ? [] : columnsOf([view]);
  }
  const viewOptions = views.map((view): Completion => {
    return { kind: 'view', label: view.name, insert: viewName(view), detail: rowsText(view) };
  });
  if (/^(?:FROM|JOIN|DESCRIBE|SUMMARIZE)$/i.test(last?.text ?? '')) return viewOptions;
  const named = new Set(all.map((token) => nameOf(token)));
  const used = views.filter(({ name }) => named.has(name));
  return [
    ...columnsOf(used.length > 0 ? used : views.slice(0, 5)),
    ...viewOptions,
    ...Object.entries(FUNCTIONS).map(([name, takes]): Completion => {
      return { kind: 'function', label: name, insert: `${name}(`, detail: takes };
    }),
    ...KEYWORDS.map((keyword): Completion => {
      return { kind: 'keyword', label: keyword, insert: keyword, detail: '' };
    }),
  ];
}

/** A view by its name, or by its alias in the query: `FROM spans AS s`. */
function viewNamed(all: readonly Token[], views: readonly View[], owner: string): View | undefined {
  const tokens = all.filter(({ text }) => text.trim() !== '');
  const given = tokens.findIndex(
    (token, at) =>
      nameOf(token) === owner &&
      views.some(
        ({ name }) => name === nameOf(tokens[/^AS$/i.test(tokens[at - 1]?.text ?? '') ? at - 2 : at - 1]),
      ),
  );
  const isGiven = /^AS$/i.test(tokens[given - 1]?.text ?? '');
  const own = given === -1 ? owner : nameOf(tokens[isGiven ? given - 2 : given - 1]);
  return views.find(({ name }) => name === own);
}

function nameOf(token: Token | undefined): string {
  if (token === undefined || token.kind !== 'name') return '';
  return token.text.startsWith('"')
    ? token.text.slice(1, -1).replaceAll('""', '"')
    : token.text.toLowerCase();
}

function columnsOf(views: readonly View[]): Completion[] {
  const known = new Map<string, Completion>();
  for (const { columns } of views)
    for (const { name, type } of columns)
      if (!known.has(name))
        known.set(name, { kind: 'column', label: name, insert: sqlName(name), detail: type.toLowerCase() });
  return [...known.values()];
}

const KIND_RANK = { column: 0, view: 0, function: 2, keyword: 1 } as const;

/** Names that start with the typed text rank first, then names with a part that starts with it. */
function rankOf({ kind, label }: Completion, typed: string): number {
  const wanted = typed.replace(/^"/, '').toLowerCase();
  const text = label.toLowerCase();
  if (wanted === '') return KIND_RANK[kind];
  if (text.startsWith(wanted)) return KIND_RANK[kind];
  const part = text.split(/[._\s]/).some((each) => each.startsWith(wanted));
  if (part) return 10 + KIND_RANK[kind];
  return text.includes(wanted) && wanted.length > 2 ? 20 + KIND_RANK[kind] : Number.POSITIVE_INFINITY;
}
