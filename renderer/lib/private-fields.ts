/**
 * What privacy mode hides, by kind of field: who and where, the texts of people, and what a person adds. Names of spans
 * and functions stay: they say how an application works, not whom it served. Pure.
 */

/** Names of things and people, addresses. */
const NAMES = [
  ...['display_name', 'application', 'application_name', 'model', 'model_name', 'dataset', 'dataset_name'],
  ...['project', 'project_name', 'title', 'host', 'hostname', 'base_url', 'url', 'organization'],
  ...['organization_name', 'connection_name', 'agent', 'agent_name', 'gen_ai.agent.name'],
];
/** Who it was: also what users are told apart by. */
const PEOPLE = [
  ...['email', 'e_mail', 'mail', 'phone', 'owner', 'author', 'assignee', 'user', 'user.*', 'enduser.*'],
  ...['user_id', 'user_name', 'username', 'user_email', 'first_name', 'last_name', 'full_name'],
  ...['created_by', 'created_by.*', 'updated_by', 'updated_by.*'],
];
const SESSIONS = ['session', 'session_id', 'session.id', 'conversation_id', 'gen_ai.conversation.id'];
/** What people wrote, what was answered, and the fields of items made of it. */
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

/** For the list that the window shows of it. */
export const HIDDEN_KINDS = [
  'Inputs, outputs, conversations and fields of items',
  'Sessions and users: user.*, e-mail addresses, who created a record',
  'Names of connections, projects, applications, models and datasets',
] as const;

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

/** What views mark themselves: titles of records, long texts, what the search finds. */
const MARKED = ['[data-private]', '[role="menu"][aria-label="Connections"] [role^="menuitem"]'];

/** Every place in the window that holds a hidden field. */
export function maskedSelector(typed: string): string {
  const fields = [...NAMES, ...PEOPLE, ...SESSIONS, ...TEXTS, ...fieldsOf(typed)];
  return [...MARKED, ...fields.flatMap(selectorsOf)].join(', ');
}

/** How a hidden text is hidden where it stands in another one: as a name always, as a text if it is long enough. */
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
 * The kind of a field by its key, which may be a path with dots or in capitals (`modelName`); null for what is not
 * hidden. `added`: as a person writes them.
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
/** Attributes have any name: what is remembered of them is bounded. */
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
