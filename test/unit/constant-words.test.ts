/** Constants of the service as words, and texts that only look like constants. */
import { expect, test } from 'vitest';
import { constantOf, spanStatusWords } from '../../electron/shared/constant-words.ts';
import { constantText } from '../../renderer/lib/constant-words.ts';

test('constants are words in lower case', () => {
  const texts = ['PRE_PRODUCTION', 'IN_PROGRESS', 'BINARY_CLASSIFICATION', 'FAILED', 'binary_classification'];
  expect(texts.map(constantText)).toEqual([
    'pre-production',
    'in progress',
    'binary classification',
    'failed',
    'binary classification',
  ]);
  expect(constantOf('artifact_status', 'no_model')).toBe('none');
  expect(constantOf('entity_type', 'agent_name')).toBe('agent');
  expect(constantOf('token_type', 'output_tokens')).toBe('output tokens');
});

test('acronyms and names stay as the service wrote them', () => {
  const texts = [
    'USA',
    'SQL',
    'LLM',
    'OK',
    'A',
    'F1',
    'gpt_4',
    'GPT_4',
    'text2sql',
    'in_review',
    'Failed',
    '',
  ];
  expect(texts.map(constantText)).toEqual(texts);
});

test('the status of a span has words of its own; statuses that are not documented stay as they are', () => {
  expect(['OK', 'ERROR', 'error', 'UNSET', 'TIMED_OUT', ''].map(spanStatusWords)).toEqual([
    ...['OK', 'Failed', 'Failed', 'No status'],
    ...['TIMED_OUT', ''],
  ]);
  expect(constantOf('status_code', 'ERROR')).toBe('Failed');
  expect(constantOf('name', 'ERROR')).toBeNull();
});
