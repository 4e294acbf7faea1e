/** The stored data that each change invalidates, which is derived from the table of endpoints. */
import { expect, test } from 'vitest';
import { endpoint, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import { invalidationMark } from '../../electron/library/invalidation.ts';
import { hasDedicatedSender } from '../../electron/resources/dedicated-senders.ts';
import { applicationGone, invalidatedBy } from '../../electron/resources/invalidated.ts';
import type { ActRequest } from '../../electron/resources/types.ts';

const request = (path: Record<string, string> = {}, body: ActRequest['body'] = null): ActRequest => ({
  operation: '',
  path,
  query: {},
  body,
});
const text = ({ operation, path, mentions, isGone }: ReturnType<typeof invalidatedBy>[number]) =>
  [operation, ...Object.entries(path ?? {}).flat(), mentions ?? '', isGone === true ? 'gone' : '']
    .filter((part) => part !== '')
    .join(' ');
const touched = (operation: OperationId, of: ActRequest) =>
  invalidatedBy(operation, of, true).map(text).sort();

test.each<[OperationId, ActRequest, string[]]>([
  ['projects.create', request({}, { name: 'x' }), ['projects.list']],
  // A new dataset appears in the lists, but has no stored items.
  ['datasets.create', request({}, { name: 'x', application_id: 'a' }), ['datasets.list']],
  ['baselines.create', request({}, { model_id: 'm' }), ['baselines.list', 'models.baselines model_id m']],
  [
    'baselines.delete',
    request({ baseline_id: 'b' }),
    ['baselines.get baseline_id b gone', 'baselines.list', 'models.baselines'],
  ],
  [
    'datasets.add-items',
    request({ dataset_id: 'd' }),
    [
      'datasets.get dataset_id d',
      'datasets.items dataset_id d',
      'datasets.list',
      'datasets.schema dataset_id d',
    ],
  ],
  [
    'datasets.delete',
    request({ dataset_id: 'd' }),
    [
      'datasets.get dataset_id d gone',
      'datasets.items dataset_id d gone',
      'datasets.list',
      'datasets.schema dataset_id d gone',
    ],
  ],
  [
    'custom-metrics.create',
    request({}, { model_id: 'm' }),
    ['custom-metrics.list', 'models.custom-metrics model_id m', 'models.metrics model_id m'],
  ],
  [
    'custom-metrics.delete',
    request({ uuid: 'u' }),
    ['custom-metrics.get uuid u gone', 'custom-metrics.list', 'models.custom-metrics', 'models.metrics'],
  ],
  ['segments.create', request({}, { model_id: 'm' }), ['segments.list']],
  ['segments.delete', request({ segment_id: 's' }), ['segments.get segment_id s gone', 'segments.list']],
  ['alert-rules.update-notification', request({ alert_id: 'r' }), ['alert-rules.notification alert_id r']],
  ['alert-rules.test-notification', request({ alert_id: 'r' }), []],
  ['applications.delete', request({ application_id: 'a' }), ['jobs.list']],
  [
    'traces.delete',
    request({}, { application_id: 'a', trace_ids: [] }),
    ['catalog.list a', 'catalog.values a', 'queries.run a', 'spans.fields a', 'spans.query a'],
  ],
])('%s', (operation, of, expected) => {
  expect(touched(operation, of)).toEqual(expected);
});

test('a change with an unknown outcome deletes nothing', () => {
  expect(
    invalidatedBy('baselines.delete', request({ baseline_id: 'b' }), false).some(({ isGone }) => isGone),
  ).toBe(false);
});

test('every single change invalidates a readable operation, or is known to invalidate nothing', () => {
  const silent = OPERATION_IDS.filter((id) => endpoint(id).isWrite && !hasDedicatedSender(id)).filter(
    (id) => {
      const path = Object.fromEntries(
        [...endpoint(id).path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name ?? '', 'x']),
      );
      const invalidations = invalidatedBy(id, request(path), true);
      for (const { operation } of invalidations)
        expect(endpoint(operation as OperationId).isWrite).toBe(false);
      return invalidations.length === 0;
    },
  );
  expect(silent).toEqual(['alert-rules.test-notification']);
});

test('a deleted application invalidates every query about it, and none about another', () => {
  const invalidations = applicationGone('app-1');
  const mark = (operation: string, path: Record<string, string>, body?: Record<string, string>) =>
    invalidationMark(invalidations, { operation, path, query: {}, ...(body === undefined ? {} : { body }) });
  expect(mark('applications.get', { application_id: 'app-1' })).toBe('gone');
  expect(mark('applications.list', {})).toBe('outdated');
  expect(mark('catalog.list', { application_id: 'app-1' })).toBe('outdated');
  expect(mark('spans.query', {}, { application_id: 'app-1' })).toBe('outdated');
  expect(mark('datasets.items', { dataset_id: 'any' })).toBe('outdated');
  expect(mark('catalog.list', { application_id: 'app-2' })).toBeNull();
  expect(mark('applications.get', { application_id: 'app-2' })).toBeNull();
  expect(mark('spans.query', {}, { application_id: 'app-2' })).toBeNull();
  expect(mark('models.list', {})).toBeNull();
});
