/** The commands of the command line, which are derived from the table of endpoints. */
import { describe, expect, test } from 'vitest';
import { endpoint, OPERATION_IDS } from '../../electron/api/endpoints.ts';
import { COMMON, parseArguments } from '../../electron/cli/arguments.ts';
import { bodyFields } from '../../electron/cli/body-fields.ts';
import { commandLineOf } from '../../electron/cli/command-line-of.ts';
import { optionsOf } from '../../electron/cli/command-options.ts';
import { COMMANDS } from '../../electron/cli/command-specs.ts';
import { findResource } from '../../electron/cli/find-resource.ts';
import { helpText } from '../../electron/cli/help.ts';
import {
  flagOf,
  isAsk,
  RESOURCES,
  resourceOfParameter,
  VERBS,
  verbsOf,
} from '../../electron/cli/resource-table.ts';
import { nearest } from '../../electron/cli/suggestions.ts';
import { hasDedicatedSender } from '../../electron/resources/dedicated-senders.ts';

test('every operation is reached by exactly one verb of one resource, or by a command of its own', () => {
  for (const id of OPERATION_IDS) {
    const reached = RESOURCES.flatMap(({ name, operations }) =>
      VERBS.filter((verb) => operations[verb].includes(id)).map((verb) => `${verb} ${name}`),
    );
    const own = COMMANDS.filter(({ operations }) => operations.includes(id)).map(({ name }) => name);
    expect({ id, ways: reached.length }).toEqual({ id, ways: hasDedicatedSender(id) || isAsk(id) ? 0 : 1 });
    if (isAsk(id)) expect({ id, own }).toEqual({ id, own: [expect.any(String)] });
    if (reached.length === 0) expect(commandLineOf(id)).toBe(own.length === 0 ? null : own.join(', '));
  }
});

test.each([
  ['application_id', 'application'],
  ['start_time', 'start'],
  ['end_time', 'end'],
  ['alert_time_bucket', 'alert-time-bucket'],
  ['entity_type', 'entity-type'],
  ['uuid', 'uuid'],
  ['source_id', 'source'],
])('%s is given as --%s', (parameter, flag) => {
  expect(flagOf(parameter)).toBe(flag);
});

test('no two parameters of an operation share a flag, and none is an option of every command', () => {
  for (const { operations } of RESOURCES) {
    for (const verb of VERBS) {
      for (const id of operations[verb]) {
        const row = endpoint(id);
        const names = [...row.path.matchAll(/\{(\w+)\}/g)]
          .map(([, name]) => name ?? '')
          .concat(Object.keys(row.query));
        const flags = names.map(flagOf);
        expect(new Set(flags).size, id).toBe(flags.length);
        for (const flag of Object.keys(optionsOf(verb, id))) expect(COMMON).not.toHaveProperty(flag);
      }
    }
  }
});

test('path parameters name their resource', () => {
  const found = (parameter: string) => resourceOfParameter(parameter)?.name;
  expect(
    ['application_id', 'model_id', 'dataset_id', 'alert_id', 'env_id', 'uuid', 'job_id'].map(found),
  ).toEqual(['applications', 'models', 'datasets', 'alert-rules', 'environments', 'custom-metrics', 'jobs']);
  expect(found('nothing_id')).toBeUndefined();
});

describe('a resource of the command line', () => {
  test.each<[string, (typeof VERBS)[number], string | undefined, RegExp]>([
    ['left out', 'ls', undefined, /expects RESOURCE, one of: .*baselines/],
    ['a part', 'ls', 'alerts', /Did you mean alert-rules or genai-alert-rules\?/],
    ['a part of a part', 'ls', 'thresholds', /Did you mean alert-rules\.thresholds\?/],
    ['similar to nothing', 'ls', 'webhooks', /No resource named webhooks\. ls takes: /],
    ['misspelt', 'ls', 'baselinse', /No resource named baselinse\. Did you mean baselines\? ls takes: /],
    ['nothing like any', 'ls', 'xyzzyxyzzy', /No resource named xyzzyxyzzy\. ls takes: /],
    [
      'without the verb',
      'update',
      'baselines',
      /baselines has no update\. It has: ls baselines, get baselines/,
    ],
    ['of commands of its own', 'delete', 'events', /events has no delete\. It has: upload, delete-events/],
    ['that is asked for', 'ls', 'spans', /spans has no ls\. It has: spans, span-fields/],
    ['of the name of every object', 'get', 'constructor', /No resource named constructor/],
  ])('%s is rejected with the available words', (_name, verb, typed, reason) => {
    expect(() => findResource(verb, typed)).toThrowError(reason);
  });

  test('can be called by the name of its operation', () => {
    expect(findResource('ls', 'models.baselines').name).toBe('baselines');
    expect(findResource('create', 'datasets.add-items').name).toBe('datasets.items');
  });
});

test('the suggested word has the fewest edits', () => {
  expect(nearest('aplications', ['applications', 'alert-rules'])).toBe('applications');
  expect(nearest('Dataset', ['datasets', 'models'])).toBe('datasets');
  expect(nearest('qqqqqq', ['datasets', 'models'])).toBeNull();
  expect(nearest('x', [])).toBeNull();
  expect(nearest('url', ['all', 'base-url'])).toBe('base-url');
  expect(nearest('url', ['all', 'json'])).toBeNull();
});

test('body fields are flags if the body has one shape', () => {
  expect(bodyFields('spans.query').map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'application_id text',
    'start_time text',
    'end_time text',
    'filter json',
    'ordering text',
  ]);
  expect(bodyFields('traces.delete')).toMatchObject([
    { kind: 'text' },
    { name: 'trace_ids', kind: 'ids', most: 1_000 },
  ]);
  expect(bodyFields('queries.run')).toEqual([]);
  expect(bodyFields('applications.list')).toEqual([]);
});

test('the help of a verb lists its resources with the flags of each', () => {
  const help = helpText('ls');
  for (const resource of RESOURCES.filter((one) => verbsOf(one).includes('ls')))
    expect(help).toContain(resource.name);
  expect(help).toMatch(/baselines .*\n.*--model NAME/);
  expect(helpText()).toContain('span-fields');
  expect(helpText('nothing')).toBe(helpText());
});

test('any number of ids is accepted; a list takes one resource', () => {
  expect(parseArguments(['delete', 'baselines', 'a', 'b', 'c', '--yes'])?.positionals).toHaveLength(4);
  expect(() => parseArguments(['ls', 'baselines', 'x'])).toThrowError(/got also x/);
  expect(() => parseArguments(['lst'])).toThrowError(/Did you mean ls\?/);
});
