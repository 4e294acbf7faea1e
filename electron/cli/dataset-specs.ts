/** Specifications of the commands about builds, scores, reviews and snapshots of datasets. */
import { flag, text } from './command-options.ts';
import type { CommandSpec } from './command-spec.ts';
import { READ_OPTIONS } from './read-flags.ts';
import { SPAN_VALUE_OPTIONS } from './value-flags.ts';

/** Flags of `experiments compare` and `scores compare`. */
export const COMPARE_OPTIONS = {
  baseline: text,
  score: text,
  evaluator: text,
  worse: text,
  better: text,
  label: text,
  words: text,
  state: text,
  'lower-is-better': flag,
  exact: flag,
} as const;

export const DATASET_SPECS = [
  {
    name: 'from-spans',
    usage: 'DATASET',
    summary: 'Add the spans listed in a file to a dataset, in requests of at most 200',
    options: {
      application: text,
      spans: text,
      mapping: text,
      start: text,
      end: text,
      since: text,
      create: flag,
      plan: flag,
      'skip-unresolved': flag,
      widen: flag,
      'add-again': flag,
      'skip-missing-keys': flag,
      'start-at': text,
      verify: flag,
      output: text,
    },
    required: ['application', 'spans', 'mapping'],
    operations: ['datasets.add-spans'],
  },
  {
    name: 'builds',
    usage: '[add|ask|resume|skip|retry|widen|decide|cancel|receipts|verify|rename|copy|forget] [ID] [NAME]',
    summary:
      'List the drafts of datasets from spans and what was made of them; add the spans of a file to one (add DRAFT FILE, a new one with --application; the options for reading values change times and values read as empty), ask the service which of them it has, resume, cancel or rename one, copy its spans into another draft (ID or a new NAME), or decide its unknown requests by evidence',
    options: {
      application: text,
      output: text,
      verify: flag,
      'add-again': flag,
      'skip-missing-keys': flag,
      yes: flag,
      ...READ_OPTIONS,
      ...SPAN_VALUE_OPTIONS,
    },
    operations: [],
  },
  {
    name: 'review',
    usage: '[show|export|verdicts|take-skipped|leave-skipped|spans|compare ID] [FILE]',
    summary:
      'List the reviews of selected spans, show the decisions of one, or write it as a .csv or .jsonl file: verdicts, notes, failure kinds. Skipped spans are not added to the dataset before take-skipped. spans writes the spans without decisions for a second reviewer, and compare reads the review of this person: how far both agree, and where they differ. verdicts writes the decisions as results of an experiment, with Human as the evaluator, for experiments upload; --dataset names another dataset than that of the draft, and --experiment adds them to those of its results that have the judged output',
    options: {
      output: text,
      verdict: text,
      'failure-kind': text,
      limit: text,
      exact: flag,
      reviewer: text,
      dataset: text,
      experiment: text,
    },
    operations: [],
  },
  {
    name: 'snapshots',
    usage: 'DATASET',
    summary:
      'List the snapshots of a dataset: each complete fetch of its items is one. DATASET@NUMBER --output FILE writes one as JSON Lines, --new-dataset NAME makes one of it',
    options: { output: text, 'new-dataset': text, application: text },
    operations: [],
  },
  {
    name: 'diff',
    usage: 'A B',
    summary:
      'Compare two snapshots item by item: DATASET@NUMBER, or DATASET for its newest; also of two datasets. --near-duplicates names the items of B with the same or nearly the same input as one of A',
    options: { kind: text, limit: text, 'near-duplicates': flag, threshold: text },
    operations: [],
  },
  {
    name: 'coverage',
    usage: 'DATASET',
    summary:
      'Compare a dataset with production over what is stored, and name the stored spans that would fill the gap: --fill 50 --output spans.csv',
    options: { fill: text, 'span-type': text, dimension: { type: 'string', multiple: true }, output: text },
    operations: [],
  },
  {
    name: 'try-rule',
    usage: '[RULE]',
    summary:
      'Try an evaluator rule on the stored spans of its application, or one that does not exist yet with --body: which spans match, what the inputs would be. Nothing is sent',
    options: { body: text },
    operations: [],
  },
  {
    name: 'score-items',
    usage: '[DATASET]',
    summary:
      'Score the items of a dataset with an evaluator: --input prompt=inputs.question, once for each input; or with --check, which is computed here, also over the results of an experiment (--experiment, --input text=outputs.answer)',
    options: {
      evaluator: text,
      experiment: text,
      check: text,
      pattern: text,
      schema: text,
      least: text,
      most: text,
      unit: text,
      'ignore-case': flag,
      name: text,
      input: { type: 'string', multiple: true },
      parameters: text,
      items: text,
      plan: flag,
      'start-at': text,
      output: text,
    },
    required: ['input'],
    operations: [],
  },
  {
    name: 'scores',
    usage: '[resume|retry|results|forget ID|compare BEFORE AFTER [RUN]...]',
    summary:
      'List score runs, resume one, score again what failed, write one as results of an experiment (results ID --output FILE.jsonl), forget one, or compare two to four of one dataset item by item',
    options: { output: text, yes: flag, limit: text, offset: text, ...COMPARE_OPTIONS },
    operations: [],
  },
  {
    name: 'gate',
    usage: 'BEFORE AFTER',
    summary:
      'Stop a release by exit code: compare two score runs, two experiments, or two files of “export scores” (.jsonl), and fail if a rule is certainly broken; “cannot tell” has a code of its own and says how many more items would. With files nothing else is needed: no connection, no token',
    options: {
      'fail-if': { type: 'string', multiple: true },
      score: { type: 'string', multiple: true },
      'lower-is-better': flag,
      sure: text,
      junit: text,
      markdown: text,
    },
    required: ['fail-if'],
    operations: [],
  },
] as const satisfies readonly CommandSpec[];
