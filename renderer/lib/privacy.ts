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
