/** The result of parsing a text as a time. */
import type { ValueRule } from '../../shared/value-ledger.ts';

export type TimeForm =
  | 'iso'
  | 'us'
  | 'day-first'
  | 'month-name'
  | 'compact'
  | 'epoch-s'
  | 'epoch-ms'
  | 'model';

export interface TimeValue {
  form: TimeForm;
  /** JSON text of the value that is sent. */
  json: string;
  /** The rules that changed the text; empty if it is unchanged. */
  rules: readonly ValueRule[];
  /** True if the text has no time zone. */
  isZoneless: boolean;
}
