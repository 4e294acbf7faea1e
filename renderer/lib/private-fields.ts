/**
 * Fields that privacy mode hides, by kind: identities and places, texts by people, and fields that the user adds. Names
 * of spans and functions stay visible: they describe the application, not its users. Pure.
 */

/** Names of things and people, and addresses. */
const NAMES = [
  ...['display_name', 'application', 'application_name', 'model', 'model_name', 'dataset', 'dataset_name'],
  ...['project', 'project_name', 'title', 'host', 'hostname', 'base_url', 'url', 'organization'],
  ...['organization_name', 'connection_name', 'agent', 'agent_name', 'gen_ai.agent.name'],
  ...['agent_id', 'gen_ai.agent.id'],
];
/** Identities, including values that identify users. */
const PEOPLE = [
  ...['email', 'e_mail', 'mail', 'phone', 'owner', 'author', 'assignee', 'user', 'user.*', 'enduser.*'],
  ...['user_id', 'user_name', 'username', 'user_email', 'first_name', 'last_name', 'full_name'],
  ...['created_by', 'created_by.*', 'updated_by', 'updated_by.*'],
];
const SESSIONS = ['session', 'session_id', 'session.id', 'conversation_id', 'gen_ai.conversation.id'];
/** Texts by people, responses, and the fields of items made from them. */
const TEXTS = [
  ...['input', 'input.*', 'inputs', 'inputs.*', 'output', 'output.*', 'outputs', 'outputs.*'],
  ...[
    'expected_output',
    'expected_outputs',
    'expected_outputs.*',
    'metadata',
    'metadata.*',
    'extras',
    'extras.*',
  ],
  ...[
    'messages',
    'messages.*',
    'gen_ai.prompt.*',
    'gen_ai.completion.*',
    'gen_ai.input.*',
    'gen_ai.output.*',
  ],
  ...[
    'gen_ai.system_instructions',
    'llm.input_messages.*',
    'llm.output_messages.*',
    'system_prompt',
    'prompt',
  ],
  ...[
    'completion',
    'response',
    'question',
    'answer',
    'content',
    'conversation',
    'feedback',
    'comment',
    'reason',
  ],
];

/** Shown in the window as a list. */
export const HIDDEN_KINDS = [
  'Inputs, outputs, conversations and fields of items',
  'Sessions and users: user.*, e-mail addresses, who created a record',
  'Names of connections, projects, applications, models and datasets',
] as const;

/** The fields in a text that the user typed, such as `input, attributes.user.*`; without duplicates. */
export function fieldsOf(typed: string): string[] {
  const fields = typed.split(/[\s,;]+/).filter((field) => field !== '' && field !== '*');
  return [...new Set(fields)];
}

/** A quoted CSS string. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/**
 * The CSS selectors of a field. It matches every path that ends with it; with `.*` at its end, also everything below.
 */
function selectorsOf(field: string): string[] {
  if (!field.endsWith('.*')) return [`[data-field=${quoted(field)}]`, `[data-field$=${quoted(`.${field}`)}]`];
  const stem = field.slice(0, -1);
  return [`[data-field^=${quoted(stem)}]`, `[data-field*=${quoted(`.${stem}`)}]`];
}

/** Elements that the views mark: titles of records, long texts, search hits. */
const MARKED = ['[data-private]', '[role="menu"][aria-label="Connections"] [role^="menuitem"]'];

/** Selector of every element that shows a hidden field. */
export function maskedSelector(typed: string): string {
  const fields = [...NAMES, ...PEOPLE, ...SESSIONS, ...TEXTS, ...fieldsOf(typed)];
  return [...MARKED, ...fields.flatMap(selectorsOf)].join(', ');
}

/** How a hidden value is masked inside other texts: a name always, a text only if it is long enough. */
export type PrivateKind = 'name' | 'text';

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const exact = (fields: readonly string[]): ReadonlySet<string> =>
  new Set(fields.filter((field) => !field.endsWith('.*')));
const below = (fields: readonly string[]): readonly string[] =>
  fields.filter((field) => field.endsWith('.*')).map((field) => field.slice(0, -1));

const KINDS: readonly { kind: PrivateKind; exact: ReadonlySet<string>; below: readonly string[] }[] = [
  ...[NAMES, PEOPLE, SESSIONS].map((fields) => ({
    ...{ kind: 'name' as const, exact: exact(fields), below: below(fields) },
  })),
  { kind: 'text', exact: exact(TEXTS), below: below(TEXTS) },
];
const known = new Map<string, PrivateKind | null>();

/**
 * The kind of a field by its key, which can be a dotted path or in camel case (`modelName`); null if it stays visible.
 * `added`: fields in the user's notation.
 */
export function kindOfKey(key: string, added: readonly string[] = []): PrivateKind | null {
  let kind = known.get(key);
  if (kind === undefined) {
    kind = KINDS.find((each) => holds(key, each.exact, each.below))?.kind ?? null;
    if (known.size > MAX_KEYS) known.clear();
    known.set(key, kind);
  }
  if (kind !== null || added.length === 0) return kind;
  return holds(key, exact(added), below(added)) ? 'name' : null;
}
/** Maximum size of the cache, as attributes can have any name. */
const MAX_KEYS = 5_000;

function holds(key: string, fields: ReadonlySet<string>, stems: readonly string[]): boolean {
  const path = snake(key);
  for (let from = 0; from !== -1; ) {
    const rest = path.slice(from);
    if (fields.has(rest) || stems.some((stem) => rest.startsWith(stem))) return true;
    const dot = path.indexOf('.', from);
    from = dot === -1 ? -1 : dot + 1;
  }
  return false;
}
