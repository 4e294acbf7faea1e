/** The tools of `spandeck mcp`. Each runs a command that reads stored data; an agent can reach nothing else. */
import { SPAN_COLUMNS, spansQuery, summaryQuery, traceQuery } from '../../analysis/agent-queries.ts';
import { MAX_TYPED_CHARS } from '../../shared/fold.ts';
import { isPrivateList } from '../../shared/private-lists.ts';
import { VERDICTS } from '../../shared/review-model.ts';
import * as z from '../../shared/zod.ts';

/** Checked values that a client sent for a tool. */
type Input = Readonly<Record<string, unknown>>;

/**
 * A command with its options, and its arguments kept separate, so that an argument from an agent is never read as an
 * option.
 */
interface Words {
  name: string;
  options?: string[];
  positionals?: string[];
}

export interface AgentTool {
  name: string;
  title: string;
  /** For the agent: what the tool answers, and when to choose it. */
  about: string;
  input: z.ZodObject;
  /** The command that the tool runs. */
  command(input: Input): Words;
  /** Fields of the answer if none were chosen; absent: all fields. */
  fields?: readonly string[];
  /**
   * Whether the answer has contents of fields without their names, so that it is refused while there are private
   * fields.
   */
  hidesNames?: (input: Input) => boolean;
  /** Whether the call asks for access keys or people, and is refused. */
  isPrivate?: (input: Input) => boolean;
  /**
   * Arguments that select records by a value, with the paths of the compared fields. Private fields are refused,
   * because the result would reveal whether a guessed value is right.
   */
  compares?: (input: Input) => readonly Comparison[];
}

interface Comparison {
  argument: string;
  /** Null: any field of a record. */
  paths: readonly string[] | null;
}

/** Maximum length of a name; longer arguments are no names, and would keep the process busy. */
const MAX_NAME = 1_000;
const MAX_SELECT = 50_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const always = () => true;
/** Lists of field names and values, whose records are contents without the name of a field. */
const NAMES_AND_VALUES: ReadonlySet<string> = new Set(['catalog', 'attributes']);
/** Whether the resource is such a list; it can also be named by one of its operations. */
const isOfNamesOrValues = (input: Input): boolean =>
  NAMES_AND_VALUES.has(text(input, 'resource').split('.')[0] ?? '');
const isOfPrivateList = (input: Input): boolean => isPrivateList(text(input, 'resource'));

/**
 * Compared fields of an argument that is an id or a name. An id can occur in a private field only if the id itself is
 * private.
 */
function comparedName(argument: string, given: unknown, of: string | null): Comparison[] {
  if (typeof given !== 'string') return [];
  if (UUID.test(given))
    return [{ argument, paths: ['id', ...(of === null ? [] : [`${of}.id`, `${of}_id`])] }];
  const paths = ['id', 'name', ...(of === null ? [] : [of, `${of}.name`, `${of}_name`])];
  return [{ argument, paths }];
}

const comparesParents = (input: Input): Comparison[] =>
  Object.entries(input['of'] ?? {}).flatMap(([parent, given]) =>
    comparedName(`of.${parent}`, given, parent.replaceAll('-', '_')),
  );

const comparesDataset = (input: Input): Comparison[] => comparedName('dataset', input['dataset'], 'dataset');

const limit = z
  .number()
  .int()
  .min(1)
  .max(1_000)
  .describe('How many records at most; 20 by default.')
  .optional();
const offset = z.number().int().min(0).describe('How many records to skip first.').optional();
const id = (of: string) => z.string().min(1).max(MAX_NAME).describe(`Id or name of the ${of}.`);
const time = (word: string) =>
  z.string().min(1).max(MAX_NAME).describe(`${word} this time, such as 2026-05-01T00:00:00Z.`).optional();

/** Options that name the record to which a list belongs. */
const PARENTS = [
  'application',
  'model',
  'dataset',
  'alert',
  'env',
  'baseline',
  'entity-type',
  'name',
] as const;

const runId = (which: string) =>
  z.string().min(1).max(MAX_NAME).describe(`Id of the ${which} run, as scores lists it.`);

const SPAN_HEADS = [
  ...['trace_id', 'span_id', 'parent_span_id', 'session_id', 'name', 'span_type', 'status_code'],
  ...['status_message', 'start_time', 'duration', 'input', 'output'],
];
const DEFAULT_ROWS = 20;

/** Arguments of every tool. */
export const common = {
  connection: z
    .string()
    .min(1)
    .max(MAX_NAME)
    .describe('Name of the connection, if several are open.')
    .optional(),
  fields: z
    .array(z.string().min(1).max(MAX_NAME))
    .min(1)
    .max(100)
    .describe('Only these fields, such as ["name", "inputs.question"]; texts are then not shortened.')
    .optional(),
  budget: z
    .number()
    .int()
    .min(100)
    .max(50_000)
    .describe('Maximum size of the answer in tokens; 3,800 by default.')
    .optional(),
};

export type CommonInput = Readonly<z.infer<z.ZodObject<typeof common>>> & Input;

export const AGENT_TOOLS: readonly AgentTool[] = [
  {
    name: 'overview',
    title: 'What is stored',
    about:
      'The tables that are stored on this computer, with row counts, ages and whether they are complete. Start here; the names are tables of the tool sql.',
    input: z.object({}),
    command: () => ({ name: 'sql', options: ['--views', '--kinds'] }),
    fields: ['name', 'title', 'rows', 'complete', 'asOf'],
  },
  {
    name: 'search',
    title: 'Search everything stored',
    about:
      'Full-text search over names, values, attributes, items, spans, resources and uploads. Quotes find a phrase, a dash excludes a word.',
    input: z.object({
      text: z.string().min(1).max(MAX_TYPED_CHARS).describe('Words to find, such as "refund voucher" -test.'),
      kind: z
        .enum(['names', 'attributes', 'resources', 'uploads', 'items', 'spans', 'values'])
        .describe('Only results of this kind.')
        .optional(),
      limit,
    }),
    command: (input) => ({
      name: 'search',
      options: [...optional(input, 'kind'), ...rows(input)],
      positionals: [text(input, 'text')],
    }),
    hidesNames: always,
  },
  {
    name: 'list',
    title: 'List records',
    about:
      'Stored records of a resource, such as applications, datasets, models, evaluators, projects, alert-rules. Some belong to another record: give its name or id in "of", such as {"model": "Bank churn"} for baselines.',
    input: z.object({
      resource: z.string().min(1).max(MAX_NAME).describe('Plural name, such as datasets.'),
      of: z
        .partialRecord(z.enum(PARENTS), z.string())
        .describe('Options such as {"model": "Bank churn"}.')
        .optional(),
      search: z.string().min(1).max(MAX_NAME).describe('Only records with this text.').optional(),
      limit,
      offset,
    }),
    command: (input) => ({
      name: 'ls',
      options: [
        ...optionsOf(input),
        ...optional(input, 'search'),
        ...optional(input, 'offset'),
        ...rows(input),
      ],
      positionals: [text(input, 'resource')],
    }),
    // Values of attributes are records without the name of their field.
    hidesNames: isOfNamesOrValues,
    compares: (input) => [
      ...(input['search'] === undefined ? [] : [{ argument: 'search', paths: null }]),
      ...comparesParents(input),
    ],
    isPrivate: isOfPrivateList,
  },
  {
    name: 'get',
    title: 'One record',
    about: 'One stored record of a resource with all of its fields.',
    input: z.object({ resource: z.string().min(1).max(MAX_NAME), id: id('record') }),
    command: (input) => ({ name: 'get', positionals: [text(input, 'resource'), text(input, 'id')] }),
    compares: (input) => comparedName('id', input['id'], null),
    isPrivate: isOfPrivateList,
  },
  {
    name: 'spans',
    title: 'Spans',
    about:
      'Stored spans of an application, newest first, with the start of input and output. Attributes are columns of their own: profile of the table spans names them.',
    input: z.object({
      application: z.string().min(1).max(MAX_NAME).describe('Name of the application.').optional(),
      status: z.enum(['OK', 'ERROR', 'UNSET']).optional(),
      type: z.string().min(1).max(MAX_NAME).describe('Such as llm, tool, chain.').optional(),
      session: z.string().min(1).max(MAX_NAME).describe('Id of a session.').optional(),
      since: time('From'),
      until: time('Before'),
      limit,
    }),
    command: (input) => ({ name: 'sql', options: rows(input), positionals: [spansQuery(input)] }),
    compares: (input) =>
      Object.entries(SPAN_COLUMNS).flatMap(([argument, column]) =>
        input[argument] === undefined
          ? []
          : [{ argument, paths: column === 'application' ? [column, `${column}.name`] : [column] }],
      ),
    fields: SPAN_HEADS,
  },
  {
    name: 'trace',
    title: 'One trace',
    about: 'All stored spans of one trace in the order of their start.',
    input: z.object({ trace_id: z.string().min(1).max(MAX_NAME), limit }),
    command: (input) => ({
      name: 'sql',
      options: rows(input, 200),
      positionals: [traceQuery(text(input, 'trace_id'))],
    }),
    compares: () => [{ argument: 'trace_id', paths: ['trace_id'] }],
    fields: SPAN_HEADS,
  },
  {
    name: 'items',
    title: 'Items of a dataset',
    about: 'Stored items of an evaluation dataset: inputs, expected outputs, metadata.',
    // Refuses `add`, because "items add" is another command.
    input: z.object({ dataset: id('dataset').refine((name) => name !== 'add'), limit, offset }),
    command: (input) => ({
      name: 'items',
      options: [...optional(input, 'offset'), ...rows(input)],
      positionals: [text(input, 'dataset')],
    }),
    compares: comparesDataset,
  },
  {
    name: 'versions',
    title: 'Versions of a dataset',
    about: 'The stored versions of a dataset, for the tool diff.',
    input: z.object({ dataset: id('dataset') }),
    command: (input) => ({ name: 'snapshots', positionals: [text(input, 'dataset')] }),
    compares: comparesDataset,
  },
  {
    name: 'diff',
    title: 'Compare two versions',
    about: 'Items that were added, removed or changed between two versions of a dataset, or two datasets.',
    input: z.object({
      before: z.string().min(1).max(MAX_NAME).describe('DATASET@NUMBER, or DATASET for its newest version.'),
      after: z.string().min(1).max(MAX_NAME).describe('DATASET@NUMBER, or DATASET for its newest version.'),
    }),
    command: (input) => ({ name: 'diff', positionals: [text(input, 'before'), text(input, 'after')] }),
    hidesNames: always,
  },
  {
    name: 'coverage',
    title: 'Coverage of production',
    about: 'How well a dataset covers the stored spans of production, by facet.',
    input: z.object({ dataset: id('dataset') }),
    command: (input) => ({ name: 'coverage', positionals: [text(input, 'dataset')] }),
    hidesNames: always,
  },
  {
    name: 'reviews',
    title: 'Reviews by people',
    about:
      'The reviews of selected spans with their numbers of verdicts, failure kinds and reviewers; with "review", the decisions of one, span by span.',
    input: z.object({
      review: z.string().min(1).max(MAX_NAME).describe('Id of a review, as this tool lists it.').optional(),
      verdict: z.enum(VERDICTS).describe('Only spans with this verdict; with "review".').optional(),
      limit,
    }),
    command: (input) =>
      input['review'] === undefined
        ? { name: 'review' }
        : {
            name: 'review',
            options: [...optional(input, 'verdict'), ...rows(input)],
            positionals: ['show', text(input, 'review')],
          },
    // Notes and corrected outputs quote spans.
    hidesNames: always,
  },
  {
    name: 'scores',
    title: 'Score runs',
    about: 'Evaluator runs over datasets that were made on this computer.',
    input: z.object({}),
    command: () => ({ name: 'scores' }),
  },
  {
    name: 'compare_scores',
    title: 'Compare two score runs',
    about: 'Two score runs of one dataset, item by item, with what got better and worse.',
    input: z.object({ before: runId('earlier'), after: runId('later') }),
    command: (input) => ({
      name: 'scores',
      positionals: ['compare', text(input, 'before'), text(input, 'after')],
    }),
    hidesNames: always,
  },
  {
    name: 'compare_experiments',
    title: 'Compare two experiments',
    about:
      'Two experiments of one dataset, item by item: scores with intervals, what got better and worse. Their stored results are needed; list of the resource experiments names them.',
    input: z.object({
      before: id('earlier experiment'),
      after: id('later experiment'),
      score: z
        .string()
        .min(1)
        .max(MAX_NAME)
        .describe('The score to compare; the first one by default.')
        .optional(),
      limit,
      offset,
    }),
    command: (input) => ({
      name: 'experiments',
      options: [...optional(input, 'score'), ...optional(input, 'offset'), ...rows(input)],
      positionals: ['compare', text(input, 'before'), text(input, 'after')],
    }),
    hidesNames: always,
  },
  {
    name: 'profile',
    title: 'Shape of a table',
    about:
      'For each column of a table of overview: its type, smallest and largest value, distinct values, mean, share of nulls.',
    input: z.object({
      table: z
        .string()
        .max(MAX_NAME)
        .regex(/^(?:\w+|lists\."[^"]+")$/)
        .describe('Name of a table as in overview, such as spans.'),
      limit,
    }),
    command: (input) => ({
      name: 'sql',
      options: rows(input, 200),
      positionals: [summaryQuery(text(input, 'table'))],
    }),
    fields: ['column_name', 'column_type', 'min', 'max', 'approx_unique', 'avg', 'count', 'null_percentage'],
    hidesNames: always,
  },
  {
    name: 'sql',
    title: 'One SELECT',
    about:
      'One read-only SELECT (DuckDB dialect) over the tables of overview. For counts, groups and joins; nested fields are columns with dots in quotes.',
    input: z.object({ select: z.string().min(1).max(MAX_SELECT), limit }),
    command: (input) => ({ name: 'sql', options: rows(input, 100), positionals: [text(input, 'select')] }),
    hidesNames: always,
  },
  {
    name: 'jobs',
    title: 'Jobs',
    about: 'Uploads, exports, dataset builds and other work of this computer with their states.',
    input: z.object({}),
    command: () => ({ name: 'jobs' }),
  },
  {
    name: 'limits',
    title: 'Rate limits',
    about: 'What is left of the rate limits of the service.',
    input: z.object({}),
    command: () => ({ name: 'budget' }),
  },
];

/** The command line of a call. Arguments follow `--`, which ends the options. */
export function wordsOf(tool: AgentTool, input: Input): string[] {
  const { name, options = [], positionals = [] } = tool.command(input);
  return [name, ...options, '--', ...positionals];
}

function text(input: Input, name: string): string {
  const value = input[name];
  return typeof value === 'string' ? value : '';
}

function optional(input: Input, name: string): string[] {
  const value = input[name];
  return value === undefined ? [] : [`--${name}=${String(value)}`];
}

function rows(input: Input, usual = DEFAULT_ROWS): string[] {
  return [`--limit=${String(input['limit'] ?? usual)}`];
}

function optionsOf(input: Input): string[] {
  return Object.entries(input['of'] ?? {}).map(([name, value]) => `--${name}=${String(value)}`);
}
