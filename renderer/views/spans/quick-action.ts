/**
 * The key that adds spans to the dataset that was filled last, or else to the basket, from any view that shows spans.
 */
import type { ListedSpans } from '../../../electron/shared/coverage-model.ts';
import type { DatasetBuild } from '../../../electron/shared/dataset-model.ts';
import { type ActObject, ONE_ROW, objectText } from '../../lib/act-object.ts';
import { formatCount } from '../../lib/format.ts';
import type { Row } from '../../lib/grid/columns.ts';
import { textOfPart } from '../../lib/part-keys.ts';
import { textField } from '../../lib/records.ts';
import { app } from '../../state/app.svelte.ts';
import type { Basket } from '../../state/basket.svelte.ts';
import type { InspectorAction } from '../../state/inspector.svelte.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import { quickAddOf } from '../../state/quick-add.svelte.ts';
import { START_GRACE_MS } from '../../state/start-grace.ts';
import { toast } from '../../state/toast.ts';
import { blockedByMove, blockedStart } from '../parts/writes.ts';

const ID = 'quick-add';

/**
 * The action for `rows`: the shown span, or all selected ones. If spans are ticked and there is a dataset to add them
 * to, they are added instead, as they already are in the basket. `ticked`: their positions in the basket.
 */
export function quickAction(
  list: ListModel,
  basket: Basket,
  rows: () => Promise<readonly Row[]>,
  object: ActObject = ONE_ROW,
  ticked: (() => Promise<readonly number[]>) | null = null,
): InspectorAction {
  const quick = quickAddOf(list.connectionId, basket.application);
  const { last } = quick;
  const blocked = blockedAdding(list);
  const to = last?.target?.name ?? '';
  const { build } = basket;
  const run = async () => {
    if (last !== null && build !== null && ticked !== null) {
      reportAdded(quick, to, await quick.addOf(last, build.buildId, await ticked()), list.connectionId);
      return;
    }
    const lists = placedIn(list, await rows());
    if (last === null || blocked !== null) return pick(basket, lists);
    reportAdded(quick, to, await quick.add(last, lists), list.connectionId);
  };
  const what = object.kind === 'selected' || object.kind === 'ticked' ? `${objectText(object, 'span')} ` : '';
  const title = last === null || blocked !== null ? `Add ${what}to the draft` : `Add ${what}to ${to}`;
  return { title, keyId: 'picked.add', key: textOfPart('picked.add'), run: () => void app.run(run) };
}

/** The reason why spans of the list cannot be added to a dataset; null if they can. Reactive. */
const blockedAdding = (list: ListModel): string | null =>
  blockedByMove(list) ?? blockedStart(list.connectionId);

/** Whether there is a dataset to which the key adds. */
export const canQuickAdd = (list: ListModel, basket: Basket): boolean =>
  quickAddOf(list.connectionId, basket.application).last !== null && blockedAdding(list) === null;

/** The action for a span under review; null if no dataset of its application was filled yet. */
export function quickReviewed({
  connectionId,
  buildId,
  applicationId: id,
  applicationName: name,
}: DatasetBuild): {
  to: string;
  add: (position: number) => void;
} | null {
  const quick = quickAddOf(connectionId, { id, name });
  const { last } = quick;
  if (last === null || blockedStart(connectionId) !== null) return null;
  const to = last.target?.name ?? last.datasetId;
  const add = async (position: number) =>
    reportAdded(quick, to, await quick.addOf(last, buildId, [position]), connectionId);
  return { to, add: (position) => void app.run(() => add(position)) };
}

/** Reports the result, with an undo button. */
function reportAdded(
  quick: ReturnType<typeof quickAddOf>,
  to: string,
  { added, missing, absent }: Awaited<ReturnType<ReturnType<typeof quickAddOf>['add']>>,
  connectionId: string,
): void {
  const isOnline = app.network.phaseOf(connectionId) === 'online';
  const facts = [
    ...(absent.length === 0 ? [] : [`Without ${absent.join(', ')}: these spans do not have it.`]),
    ...(missing === 0 ? [] : [`${formatCount(missing, 'span')} moved in the list: refresh it.`]),
    ...(isOnline ? [] : ['Sent when the service can be reached.']),
  ];
  const description = facts.length === 0 ? {} : { description: facts.join(' ') };
  if (added === 0) {
    toast(`Nothing new for “${to}”`, { id: ID, ...description });
    return;
  }
  const undoStart = async () => {
    if (!(await quick.undoStart())) toast(`Already on the way to “${to}”`, { id: ID });
  };
  const action = { label: 'Undo', onClick: () => void app.run(undoStart) };
  toast(`${formatCount(added, 'span')} added to “${to}”`, {
    ...{ id: ID, duration: START_GRACE_MS, action },
    ...description,
  });
}

async function pick(basket: Basket, lists: readonly ListedSpans[]): Promise<void> {
  const { added } = await basket.pick(lists);
  if (added === 0) toast('In the draft already', { id: ID });
  else {
    const action = { label: 'Undo', onClick: () => void app.run(() => basket.step('undo')) };
    toast(`${formatCount(added, 'span')} added to the draft`, { id: ID, action });
  }
}

/** Rows with their positions in the list, by which stored rows are read. */
export function placedIn(list: ListModel, rows: readonly Row[]): ListedSpans[] {
  const { query } = list;
  if (query === null) return [];
  const spans = rows.flatMap((row) => {
    const position = list.positions.get(row);
    const [trace_id, span_id] = [textField(row, 'trace_id'), textField(row, 'span_id')];
    if (position === undefined || trace_id === '' || span_id === '') return [];
    return [{ trace_id, span_id, position, start_time: textField(row, 'start_time') || null }];
  });
  return [{ query, spans }];
}
