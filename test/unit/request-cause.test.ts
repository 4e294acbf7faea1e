import { expect, test } from 'vitest';
import { causeOf } from '../../renderer/lib/request-cause.ts';

test.each([
  ['tab-12.entities', { kind: 'tab', tabId: '12' }],
  ['upload 6f2c', { kind: 'upload', id: '6f2c' }],
  ['build b-1', { kind: 'build', id: 'b-1' }],
  ['deletion d-1', { kind: 'deletion', id: 'd-1' }],
  ['act datasets.create', { kind: 'act', operation: 'datasets.create' }],
  ['network probe', { kind: 'named', text: 'Check of the connection' }],
  ['anything else', { kind: 'named', text: 'anything else' }],
  ['', { kind: 'none' }],
])('a group named %s', (group, cause) => {
  expect(causeOf(group)).toEqual(cause);
});
