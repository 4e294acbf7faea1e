/** Every command as data, for parsing, help, completion and the table of operations. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { endpoint, type OperationId } from '../api/endpoints.ts';
import {
  bodyFlags,
  flag,
  ofList,
  ofListBelow,
  optionsOf,
  requiredFlags,
  text,
  textOptions,
  withSince,
} from './command-options.ts';
import type { CommandSpec, FlagSets } from './command-spec.ts';
import { COMPARE_OPTIONS, DATASET_SPECS } from './dataset-specs.ts';
import { KEEP_SPECS } from './keep-specs.ts';
import { MIRROR_SPEC } from './mirror-spec.ts';
import { READ_OPTIONS } from './read-flags.ts';
import { REPAIR_OPTION } from './repair-flag.ts';
import { REPORT_SPECS } from './report-specs.ts';
import { resourcesWith, type Verb } from './resource-table.ts';
import { VALUE_OPTIONS } from './value-flags.ts';

const USAGE: Record<Verb, { usage: string; summary: string }> = {
  ls: { usage: 'RESOURCE', summary: 'List the records of a resource' },
  get: { usage: 'RESOURCE [ID]', summary: 'Show one record by id or name' },
  create: { usage: 'RESOURCE [ID]', summary: 'Create a record: --body JSON, @FILE or - (standard input)' },
  update: {
    usage: 'RESOURCE ID...',
    summary:
      'Change records: --body JSON, @FILE or -, later with --start-at WHEN; --plan shows the cost. ID - reads ids from standard input',
  },
  delete: {
    usage: 'RESOURCE ID...',
    summary:
      'Delete records, later with --start-at WHEN; without --yes it shows what would be deleted, with --plan the cost. ID - reads ids from standard input',
  },
};

/** The flags are computed on demand, because most commands do not need them and they come from schemas of bodies. */
function verbSpec<V extends Verb>(verb: V) {
  return {
    name: verb,
    ...USAGE[verb],
    get options(): ParseArgsOptionsConfig {
      const operations = resourcesWith(verb).flatMap((resource) => resource.operations[verb]);
      return Object.assign({}, ...operations.map((id) => optionsOf(verb, id)));
    },
    operations: [],
  };
}

/** Flags of a list without its page parameters. */
function unpaged(options: ParseArgsOptionsConfig): ParseArgsOptionsConfig {
  const { limit: _, offset: __, ...rest } = options;
  return rest;
}

/** Alternatives for a required range, which lasts until now if it has no end. */
export const RANGE: FlagSets = [['start'], ['since']];

/** A query with a body: fields of the body are flags, and `--body` gives the rest. */
function askSpec<N extends string>(name: N, operation: OperationId, summary: string) {
  const paging = endpoint(operation).answer === 'paginated' ? ['limit', 'offset'] : [];
  return {
    name,
    usage: '',
    summary,
    get options(): ParseArgsOptionsConfig {
      return textOptions([...withSince(bodyFlags(operation)), ...paging, 'body']);
    },
    get required(): string[] {
      return requiredFlags(operation, false).filter((name) => name !== 'start' && name !== 'end');
    },
    get oneOf(): FlagSets[] {
      return requiredFlags(operation, false).includes('start') ? [RANGE] : [];
    },
    operations: [operation],
  };
}

const COMMAND_SPECS = [
  {
    name: 'test',
    usage: '',
    summary: 'Check the connection and report problems',
    options: {},
    operations: [],
  },
  {
    name: 'doctor',
    usage: '',
    summary:
      'Look at versions, keychain, stores, disk, service, clock and differences of its answers; for a report of a problem',
    options: {},
    operations: [],
  },
  ...([verbSpec('ls'), verbSpec('get'), verbSpec('create'), verbSpec('update'), verbSpec('delete')] as const),
  askSpec('spans', 'spans.query', 'Spans of an application in a time range'),
  askSpec('span-fields', 'spans.fields', 'Attribute keys of the spans of a time range, with their coverage'),
  {
    name: 'query',
    usage: '',
    summary: 'Metric values by time bin: the query as --body, its time range as flags too',
    options: textOptions(['body', 'start', 'end', 'since']),
    required: ['body'],
    operations: ['queries.run'],
  },
  askSpec('score', 'evaluators.score', 'Score inputs with an evaluator; nothing is stored'),
  {
    name: 'applications',
    usage: '',
    summary: 'List applications, as ls applications',
    options: ofList('applications.list'),
    operations: [],
  },
  {
    name: 'catalog',
    usage: 'APP',
    summary: 'List the catalog of an application, as ls catalog --application APP',
    options: ofListBelow('catalog.list'),
    operations: [],
  },
  {
    name: 'values',
    usage: 'APP',
    summary: 'List the distinct values of one entity (--entity-type, --name)',
    options: ofListBelow('catalog.values'),
    required: requiredFlags('catalog.values', true),
    operations: [],
  },
  {
    name: 'attributes',
    usage: '',
    summary: 'List attributes, as ls attributes',
    options: ofList('attributes.list'),
    operations: [],
  },
  {
    name: 'models',
    usage: '',
    summary: 'List models, as ls models',
    options: ofList('models.list'),
    operations: [],
  },
  {
    name: 'datasets',
    usage: '',
    summary: 'List datasets, as ls datasets',
    options: ofList('datasets.list'),
    operations: [],
  },
  {
    name: 'items',
    usage: '[add] DATASET [FILE]',
    summary:
      'List the items of a dataset; with add, the rows of a file (CSV, JSON, Parquet, Excel) become items: --map question=inputs.question, once for each column, --dry-run reads the whole file first',
    options: {
      ...ofListBelow('datasets.items'),
      map: { type: 'string', multiple: true },
      flatten: flag,
      plan: flag,
      'dry-run': flag,
      ...READ_OPTIONS,
      ...VALUE_OPTIONS,
      ...REPAIR_OPTION,
      'on-bad-row': text,
      'start-at': text,
      output: text,
      again: flag,
    },
    operations: [],
  },
  {
    name: 'experiments',
    usage:
      '[list|get|results|metrics|compare|usage|create|describe|delete|upload] [EXPERIMENT] [FILE|EXPERIMENT] [EXPERIMENT]...',
    summary:
      'List the runs of an application over a dataset, show one with its results and metrics, compare two to four of one dataset item by item, sum the tokens, the cost and the critical path of the stored traces that the results of one name, create, describe or delete one, or upload results from a file: its columns are dataset_item_id, outputs.KEY, scores.EVALUATOR.NAME, status, duration_ms, timestamp, error_reason and error_message, or outputs and scores as JSON, and experiment_item_id to add scores to a result; --dry-run reads the whole file first',
    options: {
      ...ofListBelow('experiments.results'),
      dataset: text,
      description: text,
      metadata: text,
      yes: flag,
      plan: flag,
      'dry-run': flag,
      'on-bad-row': text,
      'start-at': text,
      output: text,
      again: flag,
      ...COMPARE_OPTIONS,
    },
    operations: ['experiments.add-results'],
  },
  { name: 'schema', usage: 'DATASET', summary: 'Show the schema of a dataset', options: {}, operations: [] },
  {
    name: 'upload',
    usage: 'FILE|FOLDER...',
    summary:
      'Publish or update events from files (CSV, JSON, Parquet, Arrow, Excel, compressed), archives and folders',
    options: {
      model: text,
      'env-type': text,
      'env-name': text,
      update: flag,
      'dry-run': flag,
      plan: flag,
      'batch-rows': text,
      ...READ_OPTIONS,
      ...VALUE_OPTIONS,
      ...REPAIR_OPTION,
      policy: text,
      preset: text,
      'save-preset': text,
      'start-at': text,
      again: flag,
    },
    oneOf: [[['model'], ['preset']]],
    operations: ['events.publish', 'events.update'],
  },
  {
    name: 'presets',
    usage: '[remove NAME]',
    summary: 'List the saved mappings of files for upload --preset, or remove one',
    options: { yes: flag },
    operations: [],
  },
  {
    name: 'upload-file',
    usage: 'FILE',
    summary: 'Upload a CSV or Parquet file as is; with --model the service publishes its events in a job',
    options: {
      model: text,
      'env-type': text,
      'env-name': text,
      'part-bytes': text,
      'no-wait': flag,
      plan: flag,
      'start-at': text,
    },
    operations: [
      'files.upload',
      'files.multipart-init',
      'files.multipart-upload',
      'files.multipart-complete',
    ],
  },
  {
    name: 'uploads',
    usage: '[resume|receipts|decide|undo|rerun] [ID] [FILE]',
    summary:
      'List uploads, resume one, write its receipts, decide its unknown batches, delete its events, or send another file like it',
    options: {
      output: text,
      plan: flag,
      yes: flag,
      model: text,
      policy: text,
      'dry-run': flag,
      ...READ_OPTIONS,
      ...VALUE_OPTIONS,
      ...REPAIR_OPTION,
      again: flag,
      'by-counts': flag,
    },
    operations: [],
  },
  ...DATASET_SPECS,
  ...KEEP_SPECS,
  {
    name: 'changes',
    usage: '[resume|stop|forget ID]',
    summary:
      'List deletions and changes of several records, resume one (later with --start-at WHEN), stop it, or dismiss it',
    options: { 'start-at': text, 'no-wait': flag, yes: flag },
    operations: [],
  },
  {
    name: 'outbox',
    usage: '[show|send|edit|discard|forget ID]',
    summary:
      'List changes that wait to be sent (create, update and delete with --outbox), show what differs at the service, send all or one, change its --body, or discard it',
    options: { mine: flag, body: text, yes: flag },
    operations: [],
  },
  {
    name: 'planned',
    usage: '[start|change|cancel ID]',
    summary:
      'List everything that starts later; start one now, change its start (--start-at WHEN), or cancel it',
    options: { 'start-at': text, 'no-wait': flag, output: text, verify: flag },
    operations: [],
  },
  {
    name: 'damaged',
    usage: '[remove ID]',
    summary: 'List entries of this computer that cannot be read, of every kind, or remove one',
    options: { yes: flag },
    operations: [],
  },
  {
    name: 'health',
    usage: '[check|compact|repair|self-check]',
    summary:
      'Show how much space each kind of data takes; check every store (check), free unused space (compact), replace damaged stores by what can be read of them (repair), or look at keychain, stores, disk, service and clock (self-check)',
    options: { yes: flag },
    operations: [],
  },
  {
    name: 'pack',
    usage: 'ACTION [FILE]',
    summary:
      'Put what is stored of applications, datasets, experiments, charts and views into one file with a passphrase (create --output FILE), show what is in one (show FILE), or open one as a read-only connection (open FILE). The passphrase is asked for, or comes from SPANDECK_PASSPHRASE or standard input',
    options: {
      output: text,
      application: { type: 'string', multiple: true },
      dataset: { type: 'string', multiple: true },
      experiment: { type: 'string', multiple: true },
      chart: { type: 'string', multiple: true },
      view: { type: 'string', multiple: true },
      redact: { type: 'string', multiple: true },
      plan: flag,
    },
    operations: [],
  },
  {
    name: 'jobs',
    usage: '[ACTION] [ID] [PART] [DECISION]',
    summary:
      'List jobs of every kind; show, start, pause, resume, cancel, retry or forget one, start it later (start-at ID --start-at WHEN), let an export or a mirror repeat (repeat ID --repeat RULE, or pause, resume, end), or decide a batch or request without an answer (decide ID PART stored|resend|give-up)',
    options: { 'start-at': text, repeat: text, 'no-wait': flag, output: text, verify: flag, yes: flag },
    operations: [],
  },
  {
    name: 'delete-events',
    usage: '',
    summary:
      'Delete events by --ids, by --receipts, or by --start or --since and --end (30 requests a day); without --yes it shows what would be deleted',
    options: {
      model: text,
      ids: text,
      receipts: text,
      start: text,
      end: text,
      since: text,
      'update-metrics': flag,
      yes: flag,
      plan: flag,
      'start-at': text,
    },
    required: ['model'],
    oneOf: [[['ids'], ['receipts'], ['start', 'end'], ['since']]],
    operations: ['events.delete'],
  },
  {
    name: 'budget',
    usage: '[OPERATION]',
    summary:
      'Show what is left of the rate limits in use; with a word those of matching operations, with --all every limit',
    options: { watch: flag, forget: text },
    operations: [],
  },
  {
    name: 'search',
    usage: 'TEXT',
    summary:
      'Search everything stored: names, values, attributes, items, spans, resources, uploads; nothing is sent',
    options: { kind: text, application: text, since: text, limit: text },
    operations: [],
  },
  {
    name: 'profile',
    usage: 'RESOURCE|FILE [ID]',
    summary:
      'Show the shape of a stored list or of a file: for each column its kind, what is absent, null and empty, its range or most frequent values. RESOURCE is one of ls, or a view of sql --views; FILE has a dot or a slash in its name, is read as upload reads it, and takes only the options for reading files and values: numbers, dates and values read as empty are shown as upload would send them; a value that cannot be read in this way stays unchanged and is counted',
    get options() {
      return { ...unpaged(verbSpec('ls').options), ...READ_OPTIONS, ...VALUE_OPTIONS };
    },
    operations: [],
  },
  {
    name: 'export',
    usage: 'RESOURCE [ID] [NEWER]',
    summary:
      'Write a whole list to a CSV, JSON Lines, Parquet or Arrow file, with a manifest beside it; rows that are not stored are read first, and --resume continues an export that was stopped. RESOURCE is one of ls, or a view of sql --views; spans --application X --since 7d and session ID --application X --since 7d write the spans of a time range and of a session; scores [RUN], receipts, bad-rows or batches [UPLOAD], refused-rows [UPLOAD] (the whole rows that were rejected or refused, to be corrected and sent), not-found [BUILD] (spans that the service did not find), changes A B (as diff), version DATASET@NUMBER, requests (the log) and search TEXT write what is stored of them; chart NAME writes the values of a chart saved in the window, compared as it is',
    get options() {
      return {
        ...unpaged(verbSpec('ls').options),
        ...unpaged(askSpec('spans', 'spans.query', '').options),
        output: text,
        earlier: flag,
        exact: flag,
        resume: flag,
        'partition-by': text,
        sorted: flag,
        ...{ repeat: text, 'start-at': text, as: text, prompt: text, answer: text },
      };
    },
    required: ['output'],
    operations: [],
  },
  MIRROR_SPEC,
  ...REPORT_SPECS,
  {
    name: 'sql',
    usage: '[SELECT]',
    summary:
      'Query everything stored with one SELECT, over views (--views lists them): all stored records of a kind, single lists, the request log (requests), the rows that uploads acknowledged (events) and the scores of score runs (scores); nothing is sent or changed',
    options: { views: flag, kinds: flag, limit: text, output: text, exact: flag },
    operations: [],
  },
  {
    name: 'traffic',
    usage: '',
    summary:
      'Show the requests that were sent, one of them (--request ID, --curl ID), save them as HTTP archive (--har FILE), or forget them (--clear)',
    options: {
      har: text,
      request: text,
      curl: text,
      shell: text,
      operation: text,
      method: text,
      priority: text,
      status: text,
      search: text,
      sort: text,
      clear: flag,
      yes: flag,
      limit: text,
    },
    operations: [],
  },
  {
    name: 'request',
    usage: '[METHOD PATH]',
    summary:
      'Any /v3 call through the scheduler; PATH - reads paths from standard input; --list names every operation',
    options: { query: { type: 'string', multiple: true }, body: text, list: flag, yes: flag },
    operations: [],
  },
  {
    name: 'settings',
    usage: '[list|get|set|reset|export|import] [KEY|FILE] [VALUE]...',
    summary:
      'List settings, show or change one, or write and read all of them as a file; nothing is sent. export without FILE writes to standard output, import - reads standard input. reset without KEY resets all of them, with --yes',
    options: { changed: flag, yes: flag },
    operations: [],
  },
  {
    name: 'mcp',
    usage: '',
    summary:
      'Answer an agent over standard input and output (Model Context Protocol): it reads what is stored of the connections that “agents open” names, and can change and send nothing',
    options: {},
    operations: [],
  },
  {
    name: 'agents',
    usage: '[open|close|log|setup|remove] [CONNECTION]',
    summary:
      'List the connections that agents may read, open or close one, show what was read (log), or add Spandeck to the agents of this computer (setup) and remove it again (remove); without --yes these two show what would be written',
    options: { limit: text, yes: flag },
    operations: [],
  },
  {
    name: 'help',
    usage: '[COMMAND|GROUP|all|options]',
    summary:
      'List the commands by subject, or show what those of a group do, or the options of a command; with --json every command, option, example and exit code',
    options: {},
    operations: [],
  },
  {
    name: 'completion',
    usage: 'SHELL',
    summary: 'Print the completion script of bash, zsh or fish',
    options: {},
    operations: [],
  },
] as const satisfies readonly CommandSpec[];

export type CommandName = (typeof COMMAND_SPECS)[number]['name'];

/** The table with one type for all rows. */
export const COMMANDS: readonly CommandSpec[] = COMMAND_SPECS;
