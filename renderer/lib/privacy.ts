/**
 * What privacy mode masks, as a style sheet: every sign of a masked text is drawn as a dot. The values stay what they
 * are: sorting, copying, exporting and forms know nothing of it.
 */

/** Who and where: names of records and people, addresses. As fields are called in records and columns. */
const WHO_AND_WHERE = [
  'name',
  'display_name',
  'application',
  'application_name',
  'model',
  'model_name',
  'dataset',
  'dataset_name',
  'project',
  'project_name',
  'title',
  'host',
  'hostname',
  'base_url',
  'url',
  'email',
  'organization',
  'organization_name',
  'owner',
  'user',
  'created_by',
  'updated_by',
];

/** What views mark themselves: titles of tabs and records, connections, what the search finds. */
const MARKED = ['[data-private]', '[role="menu"][aria-label="Connections"] [role^="menuitem"]'];

/** `input, attributes.user.*` as a person writes it; nothing twice. */
export function fieldsOf(typed: string): string[] {
  const fields = typed.split(/[\s,;]+/).filter((field) => field !== '' && field !== '*');
  return [...new Set(fields)];
}

/** A text in the notation of CSS. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** A field matches wherever a path ends so; with `.*` at its end, everything below it. */
function selectorsOf(field: string): string[] {
  if (!field.endsWith('.*')) return [`[data-field=${quoted(field)}]`, `[data-field$=${quoted(`.${field}`)}]`];
  const stem = field.slice(0, -1);
  return [`[data-field^=${quoted(stem)}]`, `[data-field*=${quoted(`.${stem}`)}]`];
}

/** Everything that is masked. */
export function maskedSelector(typed: string): string {
  return [...MARKED, ...[...WHO_AND_WHERE, ...fieldsOf(typed)].flatMap(selectorsOf)].join(', ');
}

const LEAST_NAME = 3;
const DOT = '•';

/** A name as it is said while it is masked: as long as it is. */
const dots = (text: string): string => DOT.repeat(Math.min(text.length, 12));

/**
 * A sentence without what it names: what stands in quotes, and each of `names`. Names of one or two letters would hide
 * parts of words.
 */
export function withoutNames(text: string, names: readonly string[]): string {
  const quotes = text.replaceAll(/“[^”]*”/g, (quote) => `“${dots(quote.slice(1, -1))}”`);
  return names
    .filter((name) => name.length >= LEAST_NAME)
    .toSorted((a, b) => b.length - a.length)
    .reduce((said, name) => said.replaceAll(name, dots(name)), quotes);
}

let hidden: () => readonly string[] | null = () => null;

/** From now on messages and dialogs say no name that `read` answers; null: privacy mode is off. */
export function followPrivacy(read: () => readonly string[] | null): void {
  hidden = read;
}

/** A message or the title of a dialog, as it may be shown now. */
export function shownText(text: string): string {
  const names = hidden();
  return names === null ? text : withoutNames(text, names);
}
