/** Recent values for the rows of a list: of alert rules, and of the traffic of models. */
import { onDestroy } from 'svelte';
import { rangeQuery } from '../../../electron/shared/alert-record.ts';
import { type AlertBin, readHistory } from '../../lib/monitoring/alert-history.ts';
import { RecordModel } from '../../state/record-state.svelte.ts';
import { RowValues } from '../../state/row-values.svelte.ts';
import { activeConnectionId } from './tab-models.ts';

/** The records of alert rules, oldest first. */
export type RuleHistories = RowValues<readonly AlertBin[]>;

/** By rule id; released with the component. Must be called during its initialization. */
export function ruleHistories(tabId: string): RuleHistories {
  const connectionId = activeConnectionId();
  const histories: RuleHistories = new RowValues({
    makeRecord: (id) => new RecordModel({ connectionId, viewId: `tab-${tabId}.history.${id}` }),
    queryOf: (id, range) => ({
      operation: 'alert-rules.history',
      path: { alert_id: id },
      query: rangeQuery(range),
    }),
    read: (record) => readHistory(record).bins,
  });
  onDestroy(() => histories.release());
  return histories;
}
