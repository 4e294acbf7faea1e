/** Evaluator rules, and alert rules of applications (SERVICE.md F14 and F15). */
import BellRing from '@lucide/svelte/icons/bell-ring';
import Workflow from '@lucide/svelte/icons/workflow';
import { constantWords } from '../../../../electron/shared/constant-words.ts';
import { writeExact } from '../../../../electron/shared/exact-json.ts';
import { rateText, sampleShare } from '../../../../electron/shared/rule-dry-run.ts';
import { wordsFor } from '../../../../electron/shared/shown-words.ts';
import { capitalized } from '../../../lib/format.ts';
import { isObject, textField } from '../../../lib/records.ts';
import { CREATED, column, ID, kindColumn, NAME, referenceColumn, UPDATED } from '../columns.ts';
import { known, NAME_KNOWN, STAMPS_KNOWN } from '../known.ts';
import RuleAssist from '../RuleAssist.svelte';
import type { Resource } from '../types.ts';

type Row = Record<string, unknown>;

/** Names of the inputs or outputs of a rule. */
function outputsOf({ outputs }: Row): string {
  return (Array.isArray(outputs) ? outputs.filter(isObject) : [])
    .map((each) => textField(each, 'name'))
    .join(', ');
}

function writeRate(value: unknown): string {
  const share = sampleShare(value);
  if (share !== null) return rateText(share);
  return value === null || value === undefined ? '' : writeExact(value);
}

export const evaluatorRules: Resource = {
  id: 'evaluator-rules',
  title: 'Evaluator rules',
  noun: 'evaluator rule',
  nouns: 'evaluator rules',
  isOptional: true,
  icon: Workflow,
  list: {
    operation: 'evaluator-rules.list',
    emptyText: 'No evaluator rules. A rule scores the spans of an application with an evaluator.',
    takes: [],
  },
  get: null,
  columns: [
    NAME,
    referenceColumn('application', 'Application'),
    column('evaluator_name', 'Evaluator', 'text', 160),
    {
      ...kindColumn('enabled', 'State', 96, { true: 'ok' }),
      write: (value) => wordsFor('enabled', String(value)),
      words: 'enabled',
    },
    column('sampling_rate', 'Sample', 'number', 84, { write: writeRate }),
    column('outputs', 'Outputs', 'text', 180, { get: outputsOf, sortField: null }),
    UPDATED,
    CREATED,
    ID,
  ],
  known: [
    NAME_KNOWN,
    ...known({
      application: 'Application',
      evaluator_name: 'Evaluator',
      evaluator_type_display_name: 'Type',
      enabled: 'Enabled',
      sampling_rate: 'Sampling rate',
      mapped_input_keys: 'Inputs',
      filters: { label: 'Filters', kind: 'filter' },
      outputs: 'Outputs',
      backfill: 'Backfill',
      evaluator_id: 'Evaluator id',
    }),
    ...STAMPS_KNOWN,
  ],
  filterFields: [],
  create: {
    operation: 'evaluator-rules.create',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true },
      {
        name: 'application_id',
        label: 'Application',
        kind: 'reference',
        operation: 'applications.list',
        noun: 'application',
        isRequired: true,
      },
      {
        name: 'evaluator_id',
        label: 'Evaluator',
        kind: 'reference',
        operation: 'evaluators.list',
        noun: 'evaluator',
        isRequired: true,
      },
      {
        name: 'mapped_input_keys',
        label: 'Inputs',
        kind: 'json',
        mustBe: 'object',
        isRequired: true,
        hint: 'Each input of the evaluator with the path of an attribute. All inputs that it requires must be there.',
        placeholder: '{"response": "fiddler.contents.gen_ai.llm.output"}',
      },
      {
        name: 'sampling_rate',
        label: 'Sampling rate',
        kind: 'number',
        min: 0,
        max: 1,
        hint: 'From 0 to 1; 1 by default.',
      },
      {
        name: 'backfill',
        label: 'Also score existing spans',
        kind: 'flag',
        hint: 'The more there are, the longer it takes.',
      },
      {
        name: 'backfill_start_time',
        label: 'From',
        kind: 'time',
        sentAs: 'iso',
        isShown: ({ backfill }) => backfill === true,
        hint: 'Leave empty for all of them.',
      },
    ],
    assist: RuleAssist,
    note: 'It is made without filters, because their form is not published: it scores every span of the application. Spandeck cannot change or delete it later; the service can.',
  },
  parts: [],
};

/** The metric of a rule, with the kind of tokens, the value or the output: `Token count: output tokens`. */
function watchedOf(row: Row): string {
  const parts = [
    constantWords(textField(row, 'token_type')),
    textField(row, 'attribute_value'),
    textField(row, 'evaluator_output_name'),
  ].filter((text) => text !== '');
  const output = row['evaluator_output_value'];
  const value = typeof output === 'boolean' ? String(output) : textField(row, 'evaluator_output_value');
  const about = `${parts.join(', ')}${value === '' ? '' : ` = ${value}`}`;
  const metric = capitalized(constantWords(textField(row, 'metric_name')));
  return about === '' ? metric : `${metric}: ${about}`;
}

/** The email addresses in entries of the known form. Other entries are only mentioned as existing. */
function recipientsOf({ notification_settings: settings }: Row): string {
  if (!Array.isArray(settings)) return '';
  return settings
    .map((entry) => {
      const config = isObject(entry) && isObject(entry['config']) ? entry['config'] : {};
      const { recipients } = config;
      return Array.isArray(recipients) ? recipients.map(String).join(', ') : 'another way';
    })
    .join(', ');
}

export const genaiAlertRules: Resource = {
  id: 'genai-alert-rules',
  title: 'GenAI rules',
  noun: 'alert rule of an application',
  nouns: 'alert rules of applications',
  isOptional: true,
  icon: BellRing,
  list: {
    operation: 'genai-alert-rules.list',
    emptyText: 'No alert rules of applications. They are made in the service.',
    takes: [],
  },
  get: null,
  columns: [
    { ...NAME, width: 180 },
    referenceColumn('application', 'Application'),
    column('state', 'Fired', 'text', 96, {
      get: () => undefined,
      absentText: 'unknown',
      absentTitle: 'The service does not report whether this rule fired.',
      sortField: null,
    }),
    column('metric_name', 'Watched', 'text', 220, { get: watchedOf, words: 'constants' }),
    column('critical_threshold', 'Critical', 'number', 100),
    column('warning_threshold', 'Warning', 'number', 100),
    column('notification_settings', 'Notifies', 'text', 220, { get: recipientsOf, sortField: null }),
    { ...UPDATED, startsHidden: true },
    CREATED,
    ID,
  ],
  known: [
    NAME_KNOWN,
    ...known({
      application: 'Application',
      metric_name: 'Metric',
      critical_threshold: 'Critical threshold',
      warning_threshold: 'Warning threshold',
      token_type: 'Token type',
      attribute_id: 'Attribute id',
      attribute_value: 'Attribute value',
      evaluator_rule_id: 'Evaluator rule id',
      evaluator_output_name: 'Evaluator output',
      evaluator_output_value: 'Output value',
      notification_settings: 'Notifies',
      project: 'Project',
    }),
    ...STAMPS_KNOWN,
  ],
  filterFields: [],
  parts: [],
};
