/**
 * Descriptions of all flags, for help and completion. A flag has the same meaning in every command unless it is
 * overridden below.
 */

import { FILTER_OPERATORS } from '../shared/filter-tree.ts';

interface FlagHelp {
  /** Placeholder of the value in the usage; null for a flag without a value. */
  value: string | null;
  about: string;
}

const NAME = 'NAME|ID';

const LIST_OPERATORS = `operators: ${Object.keys(FILTER_OPERATORS).join(', ')}`;
const SPAN_FIELDS =
  'columns: span_type, status_code, name, session_id, …; an attribute as SpanAttribute::KEY (span-fields lists the keys); operator: eq';

const filterAbout = (field: string, operator: string, value: string, rest: string): string =>
  `only records that fit a rule such as ${JSON.stringify({ field, operator, value })}, or all of {"condition": "AND", "rules": [rule, rule]}; ${rest}`;

export const FLAG_HELP: Readonly<Record<string, FlagHelp>> = {
  // Common to all commands
  'base-url': {
    value: 'URL',
    about:
      'address of the service, with its token in SPANDECK_TOKEN; by default the connection last used in the window',
  },
  'data-dir': { value: 'DIR', about: 'use another data folder' },
  connection: { value: NAME, about: 'a saved connection' },
  offline: { value: null, about: 'send nothing; answer from what is stored' },
  all: { value: null, about: 'every page of a list; every limit of budget' },
  json: {
    value: null,
    about:
      'the answer as one line of JSON: a list is {"items": […], "total", "complete", "asOf"}; a command that answers for each of several records writes one line for each; a failure adds {"error": {"code", "message", "nextStep", "status", "exitCode"}} as the last line of standard error',
  },
  fields: {
    value: 'A,B,C',
    about:
      'only these fields of each record, in this order; a path with dots for an inner field: inputs.question',
  },
  budget: {
    value: 'N',
    about:
      'an answer of at most N tokens, counted as four bytes each: whole records as far as they fit, then shorter texts, with a note of what was left out',
  },
  'to-file': {
    value: 'FILE',
    about:
      'write the answer into this file, as CSV or JSON Lines if it ends with .csv or .jsonl; its name and size are printed',
  },
  help: { value: null, about: 'help for one command, or the list of commands' },
  version: { value: null, about: 'the version of Spandeck' },

  // Selection of records
  alert: { value: NAME, about: 'the alert rule' },
  application: { value: NAME, about: 'the application' },
  baseline: { value: NAME, about: 'the baseline' },
  dataset: { value: NAME, about: 'the dataset' },
  experiment: { value: NAME, about: 'the experiment' },
  env: { value: NAME, about: 'the environment' },
  job: { value: 'ID', about: 'the job of the service' },
  model: { value: NAME, about: 'the model' },
  source: { value: 'ID', about: 'the span of an item' },
  uuid: { value: 'ID', about: 'the custom metric' },
  key: { value: NAME, about: 'the access key' },
  segment: { value: 'ID', about: 'the segment' },
  evaluator: { value: 'NAME', about: 'the evaluator to score with (ls evaluators)' },
  'evaluator-name': { value: 'NAME', about: 'the evaluator to score with (ls evaluators)' },
  receipts: { value: 'FILE', about: 'the events of a receipts file, as “uploads receipts” writes it' },
  ids: { value: 'A,B,C', about: 'ids of the events, with commas between them' },

  // Filters and order of lists
  'entity-type': { value: 'TYPE', about: 'only entities of this type, such as attribute' },
  'data-type': { value: 'TYPE', about: 'only entities of this data type' },
  'semantic-name': { value: 'NAME', about: 'only entities with this semantic name' },
  'feature-name': { value: 'NAME', about: 'only this column of the model' },
  'alert-time-bucket': { value: 'MS', about: 'the time bucket, in milliseconds since 1970' },
  name: { value: 'NAME', about: 'the name of the entity' },
  type: { value: 'TYPE', about: 'only environments of this type, such as PRODUCTION' },
  filter: {
    value: 'JSON',
    about: filterAbout('name', 'contains', 'churn', LIST_OPERATORS),
  },
  search: { value: 'TEXT', about: 'only records with this text' },
  kind: {
    value: 'KIND',
    about: 'only names, attributes, resources, uploads, items, results, spans or values',
  },
  ordering: {
    value: 'FIELDS',
    about: 'order, such as name or --ordering=-created_at (a dash: largest first), several with commas',
  },
  limit: { value: 'N', about: 'how many records at most' },
  offset: { value: 'N', about: 'how many records to skip first' },

  // Time
  start: {
    value: 'TIME',
    about:
      'from this time on: 2026-05-01, "2026-05-01 02:00", 2026-05-01T02:00:00Z, yesterday, or 7d (before now); without a zone in that of the settings',
  },
  end: { value: 'TIME', about: 'up to this time, not including it; written like --start; now if absent' },
  since: {
    value: 'LENGTH',
    about: 'instead of --start: 30m, 12h, 7d or 2w before now, or a time; without --end up to now',
  },
  by: {
    value: 'WHEN',
    about: 'whether another reading ends by then: 17:40, "2026-05-01 02:00" or 2026-05-01T02:00:00Z',
  },
  'start-at': {
    value: 'WHEN',
    about: 'start later: 02:00, "tomorrow 02:00", "2026-05-01 02:00", 2026-05-01T02:00:00Z, or 2h (from now)',
  },
  repeat: {
    value: 'RULE',
    about:
      'do it again: "daily 07:00", "weekdays 07:00", "monday 07:00" in local time, or "after sync" (each reading for offline use)',
  },

  // Contents of requests, and how they are sent
  body: { value: 'JSON|@FILE|-', about: 'the body as JSON, from a file, or from standard input' },
  inputs: { value: 'JSON', about: 'the inputs to score, such as {"response": "…"}' },
  parameters: { value: 'JSON', about: 'parameters of the evaluator, such as {"model": "…"}' },
  outbox: { value: null, about: 'put it into the outbox; it is sent later by outbox send' },
  'by-counts': {
    value: null,
    about: 'decide as the row counts suggest; right only where nothing else writes to the environment',
  },
  mine: { value: null, about: 'send it although the record has changed, as outbox show says' },
  yes: { value: null, about: 'delete or forget; without it the command only shows what would be deleted' },
  plan: { value: null, about: 'only show the cost; nothing is sent' },
  'dry-run': { value: null, about: 'read and check the whole file; nothing is sent' },
  again: { value: null, about: 'send it although the same content was sent to the same place before' },
  'no-values': { value: null, about: 'without the values of each entity' },
  every: { value: 'LENGTH|start', about: 'read it again automatically: every 6h or 1d, or at each start' },
  'no-wait': { value: null, about: 'return once the service has started the job; do not wait for its end' },
  output: { value: 'FILE', about: 'where receipts or scores are written' },
  'env-type': { value: 'TYPE', about: 'environment type; PRODUCTION by default' },
  'env-name': { value: 'NAME', about: 'environment name, for types that have several' },
  update: { value: null, about: 'update existing events instead of publishing new ones' },
  'update-metrics': {
    value: null,
    about: 'send update_metrics=true; the documentation of the service is contradictory about its effect',
  },
  'batch-rows': { value: 'N', about: 'rows of one request' },
  map: {
    value: 'COLUMN=BUCKET.KEY',
    about: 'where a column of the file goes; COLUMN=- leaves it out; once for each column',
  },
  flatten: { value: null, about: 'nested keys become keys of their own: {"a": {"b": 1}} is a.b' },
  delimiter: {
    value: 'CHAR',
    about:
      'what separates the cells of the file: one character, comma, semicolon, tab, bar, space, or its code such as \\x01',
  },
  quote: { value: 'double|single|none', about: 'what encloses cells of the file that hold delimiters' },
  escape: {
    value: 'backslash|none',
    about: 'what escapes a quote inside a quoted cell; none: quotes are doubled',
  },
  'header-line': {
    value: 'N',
    about: 'line of the file with the names of the columns; the lines before it are left out',
  },
  encoding: { value: 'NAME', about: 'how the text of the file is encoded, such as utf-8 or windows-1252' },
  sheet: {
    value: 'NAME',
    about: 'sheet of a workbook, or list of a JSON document; the one that is found by default',
  },
  null: {
    value: '[COLUMN=]WORD[,WORD]',
    about: 'words read as no value, in one column or in all; by default those found among numbers and times',
  },
  decimal: {
    value: '[COLUMN=]comma|point',
    about: 'the mark before decimals, in one column or in all; the other separates thousands',
  },
  'day-first': { value: null, about: 'in dates such as 03/05/2026 the day comes first' },
  'month-first': { value: null, about: 'in dates such as 03/05/2026 the month comes first' },
  'date-order': {
    value: '[COLUMN=]day-first|month-first|year-first',
    about: 'which comes first in dates of one column, or of all; a year of two digits: 26-05-03',
  },
  zone: {
    value: '[COLUMN=]UTC|local|NAME|+hh:mm',
    about: 'zone of times that name none; by default they are sent unchanged and read as UTC',
  },
  'time-unit': {
    value: '[COLUMN=]s|ms|us|ns|excel',
    about: 'unit of the numbers in a column of times since 1970; excel: days of a spreadsheet',
  },
  repair: {
    value: '[COLUMN=]KIND or COLUMN:VALUE=REPLACEMENT',
    about:
      'send one value of a column as another in all its rows, or repair values that do not fit: trim, decimal-comma, thousands, currency, parentheses, trailing-sign (5- is -5), percent (5% is 5), percent-share (5% is 0.05), null-word, spelling, true-false, day-first, month-name, compact-date, or null for no value',
  },
  'on-bad-row': { value: 'stop|skip', about: 'what to do at a row that cannot be sent; stop by default' },
  policy: {
    value: 'stop|skip|after=N|after=N%',
    about:
      'when rows cannot be sent, or the service refuses them: stop (default), skip, or stop after more than N',
  },
  preset: { value: 'NAME', about: 'a saved mapping: model, columns, constants, repairs; other flags win' },
  'save-preset': { value: 'NAME', about: 'save how this file is sent under this name, for --preset' },
  'part-bytes': { value: 'N', about: 'bytes of one part of the file' },
  spans: { value: 'FILE', about: 'CSV, JSON or JSON Lines file with trace_id and span_id' },
  mapping: {
    value: 'JSON|@FILE|-',
    about: 'the field for each attribute: {"inputs": {"FIELD": "KEY"}, …}',
  },
  create: { value: null, about: 'make a new dataset with this name' },
  widen: { value: null, about: 'search wider time ranges, up to a year, for spans that are not found' },
  score: { value: 'NAME', about: 'the score to compare; by default the first one of both runs' },
  'fail-if': {
    value: 'RULE',
    about:
      'a rule that stops: "worse > 2 %" (points of a share, part of a mean), "below 90 %", "above 0.4" or "missing > 5 %"; can be repeated',
  },
  kinds: { value: null, about: 'with --views: only all records of each kind, not each single list' },
  sorted: {
    value: null,
    about: 'JSON Lines with sorted keys and rows: equal rows make equal files, for version control',
  },
  days: { value: 'N', about: 'history of the last N days, at most 3650; 30 by default' },
  mask: {
    value: 'FIELD',
    about:
      'mask this field in the report, with everything below it and texts that may repeat any field; can be repeated',
  },
  unsigned: { value: null, about: 'do not sign the report' },
  fingerprint: { value: 'KEY', about: 'the key that must have signed the report, as its author names it' },
  sure: { value: '95', about: 'the required certainty in percent; only 95' },
  junit: { value: 'FILE', about: 'write the result as JUnit XML, for a build server' },
  markdown: { value: 'FILE', about: 'write the result as Markdown, for a comment' },
  'lower-is-better': { value: null, about: 'a lower score is better' },
  'skip-unresolved': { value: null, about: 'continue without spans that the service does not find' },
  'skip-missing-keys': { value: null, about: 'send although no span has a key of the mapping' },
  'add-again': { value: null, about: 'add spans again that the dataset already has' },
  verdict: { value: 'VERDICT', about: 'only spans that were accepted, edited, rejected or skipped' },
  'failure-kind': { value: 'NAME', about: 'only spans of this failure kind' },
  reviewer: { value: 'NAME', about: 'the person who made the review in FILE' },
  verify: { value: null, about: 'read the dataset afterwards and compare' },
  input: {
    value: 'NAME=BUCKET.FIELD',
    about: 'an input of the evaluator from a field of the items, or NAME=@TEXT; once for each input',
  },
  items: { value: 'FILE', about: 'only these items: a file with one item id per line' },

  chart: { value: 'NAME|ID', about: 'a saved chart to pack; can be repeated' },
  view: {
    value: 'NAME|ID',
    about: 'a saved view to pack, of what is packed with it; can be repeated',
  },
  redact: {
    value: 'PATH',
    about:
      'mask this field in everything that is packed, such as input or attributes.user.*, in addition to the private fields of the settings; can be repeated',
  },

  views: { value: null, about: 'the views: one for each stored list' },
  exact: { value: null, about: 'CSV cells as they are: a spreadsheet may run those that look like formulas' },

  // Limits and requests
  watch: { value: null, about: 'show it again whenever it changes, until Ctrl-C' },
  forget: { value: 'OPERATION', about: 'go back to the published limit, such as "GET /v3/models"' },
  har: { value: 'FILE', about: 'save the requests as an HTTP archive' },
  request: { value: 'ID', about: 'one request with headers and body' },
  curl: { value: 'ID', about: 'one request as a curl command' },
  shell: { value: 'posix|powershell', about: 'the shell that the curl command is for' },
  operation: { value: 'OPERATION', about: 'only requests of this operation, such as "GET /v3/models"' },
  method: { value: 'METHOD', about: 'only requests with this method' },
  priority: { value: 'NAME', about: 'only requests of this priority: view, click, outbox, upload, prefetch' },
  status: { value: 'CLASS', about: 'only requests with this outcome: answered, problems, retried, …' },
  sort: { value: 'FIELD[:asc]', about: 'order, such as networkMs; largest first unless :asc' },
  clear: { value: null, about: 'forget the log of requests' },
  worse: { value: 'N', about: 'only items that got worse by at least N; 0 for any' },
  better: { value: 'N', about: 'only items that got better by at least N; 0 for any' },
  label: { value: 'LABEL', about: 'only items with this label in a later run' },
  words: { value: 'TEXT', about: 'only items with this text in an output' },
  state: { value: 'STATE', about: 'only items with this state in a run: scored, failed, skipped or open' },
  check: { value: 'KIND', about: 'equals, contains, regex, json-schema, number or length; computed here' },
  pattern: { value: 'EXPRESSION', about: 'the regular expression (RE2) that a part of the text matches' },
  schema: { value: 'JSON|@FILE', about: 'the JSON schema that the text fits' },
  least: { value: 'N', about: 'the smallest number or length that passes' },
  most: { value: 'N', about: 'the largest number or length that passes' },
  unit: { value: 'UNIT', about: 'of a length: characters or words' },
  'ignore-case': { value: null, about: 'upper and lower case are the same' },
  query: { value: 'NAME=VALUE', about: 'a query parameter; can be repeated' },
  changed: { value: null, about: 'only settings that differ from their defaults' },
  list: { value: null, about: 'every operation of the service with its command' },
};

/** Descriptions of flags that have another meaning in a command. */
const OF_COMMAND: Readonly<Record<string, FlagHelp>> = {
  'spans --filter': { value: 'JSON', about: filterAbout('status_code', 'eq', 'ERROR', SPAN_FIELDS) },
  'span-fields --filter': { value: 'JSON', about: filterAbout('status_code', 'eq', 'ERROR', SPAN_FIELDS) },
  'export --filter': {
    value: 'JSON',
    about: filterAbout('name', 'contains', 'churn', `${LIST_OPERATORS}; of spans ${SPAN_FIELDS}`),
  },
  'profile --filter': {
    value: 'JSON',
    about: filterAbout('name', 'contains', 'churn', `${LIST_OPERATORS}; of spans ${SPAN_FIELDS}`),
  },
  'attributes --filter': { value: 'JSON', about: filterAbout('data_type', 'equal', 'float', LIST_OPERATORS) },
  'applications --filter': {
    value: 'JSON',
    about: filterAbout('name', 'contains', 'support', LIST_OPERATORS),
  },
  'experiments --filter': {
    value: 'JSON',
    about: `${filterAbout('name', 'contains', 'prompt', LIST_OPERATORS)}; of results the field experiment_item_id with equal, not_equal, in or not_in`,
  },
  'experiments --baseline': {
    value: NAME,
    about: 'of compare: the experiment that the others are compared with; by default the first one',
  },
  'experiments --evaluator': { value: 'NAME', about: 'of compare: only scores of this evaluator' },
  'experiments --score': {
    value: 'NAME',
    about: 'of compare: the score that orders and filters the items; by default the first one',
  },
  'experiments --limit': { value: 'N', about: 'at most this many records; default of compare: 20' },
  'experiments --output': {
    value: 'FILE',
    about: 'of compare: every item into this .csv or .jsonl file; of upload: the receipts',
  },
  'experiments --dataset': { value: NAME, about: 'the dataset that a new experiment runs over' },
  'experiments --description': { value: 'TEXT', about: 'what the run is; it replaces the present text' },
  'experiments --metadata': {
    value: 'JSON',
    about: 'an object that replaces the present one; JSON, @FILE or -',
  },
  'scores --baseline': {
    value: 'ID',
    about: 'of compare: the run that the others are compared with; by default the first one',
  },
  'scores --evaluator': { value: 'NAME', about: 'of compare: only scores of this evaluator' },
  'scores --limit': { value: 'N', about: 'of compare: at most this many items; 20 by default' },
  'scores --offset': { value: 'N', about: 'of compare: how many items to skip first' },
  'search --limit': { value: 'N', about: 'at most this many of each kind; 20 by default' },
  'report --output': { value: 'FILE', about: 'the .html file to write' },
  'export --fields': {
    value: 'A,B,C',
    about:
      'only these fields in the file, with their nested fields; a path with dots for a nested one: inputs.question; a wrong name lists those that the rows have',
  },
  'report --fields': {
    value: 'A,B,C',
    about:
      'only these fields in the tables of the report; an unknown name is refused with the list of possible ones',
  },
  'gate --score': {
    value: 'NAME',
    about: 'only this score; by default every score of BEFORE; can be repeated',
  },
  'review --experiment': {
    value: NAME,
    about: 'of verdicts: adds them to its results that have the judged output',
  },
  'score-items --experiment': {
    value: NAME,
    about: 'with --check: its results are checked, instead of the items of a dataset',
  },
  'score-items --name': {
    value: 'NAME',
    about: 'name of the run; by default its evaluator and the judged fields',
  },
  'traffic --limit': { value: 'N', about: 'how many requests at most; 50 by default' },
  'search --since': {
    value: 'LENGTH',
    about: 'only what has a time in the last 12h, 7d or 2w, or since a time such as yesterday',
  },
  'traffic --search': { value: 'TEXT', about: 'only requests with this text in their address' },
  'keep --since': {
    value: 'LENGTH',
    about: 'how far back the spans, or the history of the rule, are read: 7d, 30d; or since a time',
  },
  'health --yes': { value: null, about: 'repair; without it the command only shows what would be done' },
  'export --resume': { value: null, about: 'continue an export to this file that was stopped' },
  'export --earlier': {
    value: null,
    about:
      'of a chart: where the service sends no comparison, ask for the earlier period with one more request',
  },
  'export --output': { value: 'FILE', about: 'the file: .csv, .jsonl, .parquet or .arrow' },
  'export --partition-by': {
    value: 'COLUMN',
    about: 'Parquet files in one folder for each value of the column, or for each day of a time (Hive)',
  },
  'export --as': {
    value: 'FORM',
    about:
      'conversations in JSON Lines: chat for fine-tuning, evals for evals; one for each item of a dataset, for each trace of spans, for a session; what is not a conversation is named in the manifest',
  },
  'export --prompt': {
    value: 'FIELD',
    about: 'field with the question or the messages, such as inputs.question; by default found by its name',
  },
  'export --answer': {
    value: 'FIELD',
    about: 'field with the answer, such as expected_outputs.answer; by default found by its name',
  },
  'jobs --repeat': {
    value: 'RULE|pause|resume|end',
    about:
      'when an export or a mirror is done again: "daily 07:00", "weekdays 07:00", "monday 07:00" in local time, or "after sync"; or what to do with its repeat',
  },
  'mirror --tables': {
    value: 'A,B',
    about: 'only these tables, as sql names them; the folder then holds no other',
  },
  'snapshots --output': { value: 'FILE', about: 'the items of one snapshot, as JSON Lines' },
  'coverage --fill': {
    value: 'N',
    about: 'how many spans are proposed at most; 50 by default, 1,000 at most',
  },
  'coverage --span-type': { value: 'TYPE', about: 'propose only spans of this type, such as llm' },
  'coverage --dimension': {
    value: 'NAME',
    about:
      'a property to count by, named as in the answer, such as agent_name; can be repeated; by default all with at most 200 values',
  },
  'coverage --output': {
    value: 'FILE',
    about: 'the proposed spans, as a .csv or .jsonl file for from-spans',
  },
  'snapshots --new-dataset': {
    value: 'NAME',
    about: 'a new dataset of this name with the items of one snapshot',
  },
  'snapshots --application': {
    value: 'NAME|ID',
    about: 'the application of the new dataset; by default that of the dataset',
  },
  'diff --kind': {
    value: 'KIND',
    about: 'only changed, added or removed items; with --near-duplicates only same or near ones',
  },
  'diff --near-duplicates': {
    value: null,
    about:
      'leakage: the items of B with the same or nearly the same input as one of A; DATASET twice for those within it',
  },
  'diff --threshold': {
    value: 'SHARE',
    about: 'share of the words that near-duplicates have in common, from 0.5 to 1; 0.85 by default',
  },
  'diff --limit': { value: 'N', about: 'how many changes at most; 50 by default, 200 at most' },
  'sql --limit': { value: 'N', about: 'how many rows at most; 1,000 by default' },
  'sql --output': { value: 'FILE', about: 'all rows to this file: .csv, .jsonl, .parquet or .arrow' },
  'pack --output': { value: 'FILE', about: 'the pack that is written' },
  'pack --application': { value: 'NAME|ID', about: 'an application to pack; can be repeated' },
  'pack --dataset': { value: 'NAME|ID', about: 'a dataset to pack; can be repeated' },
  'pack --plan': { value: null, about: 'only show what would be packed; nothing is written' },
  'builds --application': {
    value: 'NAME|ID',
    about: 'with add: makes the draft, for spans of this application',
  },
  'profile --zone': {
    value: '[COLUMN=]UTC|local|NAME|+hh:mm',
    about: 'zone of the times of a file that name none; by default they are read as UTC',
  },
  'builds --zone': {
    value: '[COLUMN=]UTC|local|NAME|+hh:mm',
    about: 'with add: zone of times that name none; by default they are read as UTC',
  },
  'builds --null': {
    value: '[COLUMN=]WORD[,WORD]',
    about: 'with add: words read as no value, in one column or in all',
  },
  'builds --verify': { value: null, about: 'after resuming: read the dataset and compare' },
};

/** The help of a flag. Throws a plain Error if it has no description; a test checks all flags. */
export function flagHelp(command: string, flag: string): FlagHelp {
  const found = OF_COMMAND[`${command} --${flag}`] ?? FLAG_HELP[flag];
  if (found === undefined) throw new Error(`--${flag} of ${command} has no help.`);
  return found;
}

/** The usage of a flag, e.g. `--limit N`, `--json`. */
export function flagUsage(command: string, flag: string): string {
  const { value } = flagHelp(command, flag);
  return value === null ? `--${flag}` : `--${flag} ${value}`;
}
