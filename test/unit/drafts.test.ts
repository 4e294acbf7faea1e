import { describe, expect, test } from 'vitest';
import {
  atStart,
  beyondMost,
  type KeptDraft,
  MAX_CHARS,
  MAX_LEFT,
  notKeptReason,
  offersOf,
  readDraft,
} from '../../renderer/lib/drafts.ts';
import type { FormField } from '../../renderer/lib/form/fields.ts';
import { readFormDraft } from '../../renderer/lib/form/form-draft.ts';
import { DraftsState } from '../../renderer/state/drafts.svelte.ts';
import { ViewStateStorage } from '../../renderer/state/view-state-storage.ts';

const tab = { kind: 'resource', title: 'New baseline', params: { resource: 'baselines', mode: 'new' } };
const draft = (over: Partial<KeptDraft> = {}): KeptDraft => ({
  id: 'one',
  form: 'baselines.new',
  tabId: '3',
  left: null,
  atMs: 1_000,
  value: { values: { name: 'month' } },
  ...over,
});

test('input that something else replaces stays as a draft that the same form is offered', () => {
  const drafts = new DraftsState(
    new ViewStateStorage({ read: () => Promise.resolve({}), write: () => Promise.resolve() }),
  );
  const other = draft({ id: 'other', tabId: '4' });
  drafts.list = [draft(), other, draft({ id: 'left', left: tab })];
  drafts.setAside('3');
  expect(drafts.list.find(({ id }) => id === 'one')).toEqual(draft({ tabId: '' }));
  expect(drafts.list.find(({ id }) => id === 'other')).toEqual(other);
  expect(drafts.list.find(({ id }) => id === 'left')).toEqual(draft({ id: 'left', left: tab }));
  expect(offersOf(drafts.list, 'baselines.new', '3').map(({ id }) => id)).toContain('one');
  expect(drafts.hasInput('3')).toBe(false);
});

describe('stored form drafts', () => {
  test('a draft is read as written; any other value is none', () => {
    const { id, ...stored } = draft({ left: tab });
    expect(readDraft(id, JSON.parse(JSON.stringify(stored)))).toEqual(draft({ left: tab }));
    for (const other of [null, 3, 'text', [], {}, { form: 'a' }, { form: 'a', atMs: 'x', value: {} }]) {
      expect(readDraft('x', other)).toBeNull();
    }
  });

  test('after a start a restored tab has its draft; the draft of a missing tab is offered', () => {
    const drafts = [draft(), draft({ id: 'two', tabId: '4' }), draft({ id: 'left', tabId: '3', left: tab })];
    const started = atStart(drafts, new Set(['3']));
    expect(started.map(({ tabId }) => tabId)).toEqual(['3', '', '']);
    expect(offersOf(started, 'baselines.new', '3').map(({ id }) => id)).toEqual(['two', 'left']);
  });

  test('drafts of the same form without an open tab are offered, the newest first', () => {
    const drafts = [
      draft({ id: 'open', tabId: '9' }),
      draft({ id: 'old', tabId: '4', left: tab, atMs: 5 }),
      draft({ id: 'new', tabId: '5', left: tab, atMs: 6 }),
      draft({ id: 'other', form: 'datasets.new', left: tab }),
    ];
    expect(offersOf(drafts, 'baselines.new', '10').map(({ id }) => id)).toEqual(['new', 'old']);
  });

  test('only the newest drafts of closed tabs are kept; an open tab always keeps its draft', () => {
    const left = Array.from({ length: MAX_LEFT + 2 }, (_, at) => draft({ id: `${at}`, left: tab, atMs: at }));
    expect(beyondMost([draft({ id: 'open', atMs: -1 }), ...left]).map(({ id }) => id)).toEqual(['1', '0']);
  });

  test('a draft that is too long or looks like a secret is not kept, with the reason', () => {
    expect(notKeptReason({ values: { name: 'month' } })).toBeNull();
    expect(notKeptReason({ values: { notes: 'x'.repeat(MAX_CHARS) } })).toContain('longer than a draft');
    expect(notKeptReason({ other: '{"api_key": "abc"}' })).toContain('password or key');
    expect(notKeptReason({ values: { password: 'abc' } })).toContain('password or key');
    expect(
      notKeptReason({ values: { description: 'How do I reset my password? token: a word' } }),
    ).toBeNull();
  });

  test('values of removed fields, or of another kind, are left out', () => {
    const fields: FormField[] = [
      { name: 'name', label: 'Name', kind: 'text', start: 'untitled' },
      { name: 'is_on', label: 'On', kind: 'flag' },
      { name: 'names', label: 'Names', kind: 'texts' },
    ];
    const values = { name: ['a'], is_on: true, names: ['b', 'c'], old: 'x' };
    const seen = { is_on: false, names: 'b', old: 'y' };
    expect(readFormDraft(fields, { values, seen, other: 3, wasSent: true })).toEqual({
      values: { is_on: true, names: ['b', 'c'] },
      seen: { is_on: false },
      other: '',
      wasSent: true,
    });
    expect(readFormDraft(fields, {})).toEqual({ values: {}, seen: {}, other: '', wasSent: false });
  });
});

describe('drafts of a connection', () => {
  const opened = async (stored: Record<string, unknown>) => {
    const writes: Record<string, unknown> = {};
    const keep = new ViewStateStorage({
      read: async () => stored,
      write: async (_, key, value) => {
        writes[key] = value;
      },
    });
    await keep.load('one');
    const drafts = new DraftsState(keep);
    return { keep, drafts, writes };
  };
  const openTab = { id: '3', kind: 'resource' as const, title: 'New baseline', params: tab.params };

  test('a closed tab leaves its draft and the data to reopen it; a secret is deleted with the tab', async () => {
    const { id, ...stored } = draft();
    const { keep, drafts, writes } = await opened({ [`draft.${id}`]: stored });
    drafts.load([openTab]);
    drafts.restore(draft({ id: 'key', value: { other: '{"token": "abc"}' } }));
    expect(drafts.hasInput('3')).toBe(true);
    expect(drafts.lossReason('3')).toContain('password or key');
    expect(drafts.leave(openTab)).toEqual([draft({ left: tab })]);
    expect(drafts.hasInput('3')).toBe(false);
    keep.flush();
    expect(writes).toEqual({ 'draft.one': { ...stored, left: tab }, 'draft.key': null });
  });

  test('a draft that could not be written is reported before its tab is closed', async () => {
    const keep = new ViewStateStorage({
      read: async () => ({}),
      write: () => Promise.reject(new Error('The layout holds more than 1 MB.')),
    });
    await keep.load('one');
    const drafts = new DraftsState(keep);
    drafts.restore(draft());
    expect(drafts.lossReason('3')).toBeNull();
    keep.flush();
    await new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(resolve)));
    expect(drafts.lossReason('3')).toBe('The disk could not be written.');
    expect(drafts.lossReason('4')).toBeNull();
  });
});
