/** For lists of records that can be kept offline: marks rows that are kept, and keeps a row. */
import type { KeepKind } from '../../../electron/shared/keep-model.ts';
import type { Column, Row } from '../../lib/grid/columns.ts';
import type { KeepSubject } from '../../lib/keep-words.ts';
import { recordTitle, textField } from '../../lib/records.ts';
import type { InspectorAction } from '../../state/inspector.svelte.ts';
import { kept } from '../../state/kept.svelte.ts';

/** The kind of kept content for each resource. */
export const KEEP_KINDS: Readonly<Record<string, KeepKind>> = {
  applications: 'application',
  datasets: 'dataset',
  experiments: 'experiment',
  models: 'model',
};

/** A column with marks; none while nothing of this kind is kept. Reactive. */
export function keptColumns(kind: KeepKind): Column[] {
  if (!kept.list.some(({ plan }) => plan.kind === kind)) return [];
  const mark = (row: Row) => kept.markFor(kind, textField(row, 'id'));
  return [{ id: 'kept', title: 'Offline', kind: 'text', width: 90, get: mark, sortField: null }];
}

export function keepAction(kind: KeepKind, row: Row, more: Partial<KeepSubject> = {}): InspectorAction {
  const id = textField(row, 'id');
  const title = kept.markFor(kind, id) === null ? 'Keep offline…' : 'Kept offline…';
  return { title, run: () => (kept.asked = { kind, id, name: recordTitle(row), ...more }) };
}
