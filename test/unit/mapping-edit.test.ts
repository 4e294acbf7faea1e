/** How a key press or a drop changes a mapping. */
import { describe, expect, test } from 'vitest';
import type { Mapping } from '../../electron/shared/dataset-model.ts';
import {
  assignKeys,
  bucketsOfKey,
  dropKeys,
  entriesOf,
  fieldNameFor,
  fieldProblem,
  isSameMapping,
  moveEntry,
  removeEntry,
  renameField,
  shiftEntry,
  toggleKeys,
} from '../../renderer/lib/mapping-edit.ts';

const USER = 'system.gen_ai.llm.input.user';
const OUTPUT = 'system.gen_ai.llm.output';
const TOKENS = 'system.gen_ai.usage.input_tokens';

const start: Mapping = assignKeys(assignKeys([], [USER, TOKENS], 'inputs'), [OUTPUT], 'expected_outputs');

describe('names of fields', () => {
  test('are the last meaningful words of the key', () => {
    expect(fieldNameFor(TOKENS, new Set())).toBe('input_tokens');
    expect(fieldNameFor('user.cost_usd', new Set())).toBe('cost_usd');
    expect(fieldNameFor(USER, new Set())).toBe('input_user');
  });

  test('are unique in the bucket', () => {
    expect(fieldNameFor('tool.input', new Set(['input']))).toBe('tool_input');
    expect(fieldNameFor('input', new Set(['input']))).toBe('input_2');
    expect(fieldNameFor('input', new Set(['input', 'input_2']))).toBe('input_3');
    expect(fieldNameFor('...', new Set())).toBe('field_2');
  });
});

describe('adding keys to buckets', () => {
  test('a key is added to a bucket once, and to several buckets', () => {
    expect(assignKeys(start, [USER], 'inputs')).toBe(start);
    const both = assignKeys(start, [USER], 'extras');
    expect(bucketsOfKey(both, USER)).toEqual(['inputs', 'extras']);
  });

  test('toggled again the key is removed, and only from that bucket', () => {
    const both = toggleKeys(start, [USER], 'metadata');
    expect(bucketsOfKey(toggleKeys(both, [USER], 'inputs'), USER)).toEqual(['metadata']);
    expect(bucketsOfKey(dropKeys(both, [USER]), USER)).toEqual([]);
  });

  test('of several keys the missing ones are added before any is removed', () => {
    const added = toggleKeys(start, [USER, OUTPUT], 'inputs');
    expect(entriesOf(added, 'inputs').map(({ entry }) => entry.key)).toEqual([USER, TOKENS, OUTPUT]);
    expect(entriesOf(toggleKeys(added, [USER, OUTPUT], 'inputs'), 'inputs')).toHaveLength(1);
  });
});

describe('mapped fields', () => {
  test('are renamed, with a message if the name is invalid', () => {
    const renamed = renameField(start, 0, 'input_tokens');
    expect(fieldProblem(renamed, 0)).toBe('Two fields of inputs have this name.');
    expect(fieldProblem(renameField(start, 0, '  '), 0)).toBe('A field needs a name.');
    expect(fieldProblem(start, 0)).toBeNull();
    expect(start[0]?.field).toBe('input_user');
  });

  test('move to another bucket without colliding with a field there', () => {
    const moved = moveEntry(renameField(start, 0, 'output'), 0, 'expected_outputs');
    expect(entriesOf(moved, 'expected_outputs').map(({ entry }) => entry.field)).toEqual([
      'output',
      'input_user',
    ]);
    expect(moveEntry(start, 0, 'inputs')).toBe(start);
    expect(moveEntry(start, 99, 'inputs')).toBe(start);
  });

  test('move within their bucket and stop at its ends', () => {
    const down = shiftEntry(start, 0, 1);
    expect(entriesOf(down, 'inputs').map(({ entry }) => entry.key)).toEqual([TOKENS, USER]);
    expect(isSameMapping(shiftEntry(down, 1, -1), start)).toBe(true);
    expect(shiftEntry(start, 0, -1)).toBe(start);
    expect(shiftEntry(start, 2, 1)).toBe(start);
  });

  test('are removed one by one', () => {
    expect(removeEntry(start, 1).map(({ key }) => key)).toEqual([USER, OUTPUT]);
  });
});
