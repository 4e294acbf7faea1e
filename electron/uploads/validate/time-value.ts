/** What a text comes to as a time. */
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
  /** How it differs from the text; empty where it is the same. */
  rules: readonly ValueRule[];
  /** It names no zone. */
  isZoneless: boolean;
}
