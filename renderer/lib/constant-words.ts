/** Constants of the service as words: `pre-production` for `PRE_PRODUCTION`. Pure. */
import { formatJsonLine } from './format.ts';

/** Constants whose words are not those of their spelling. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['GEN_AI_APP', 'GenAI applications'],
  ['ML_MODEL', 'models'],
  ['PRE_PRODUCTION', 'pre-production'],
  ['no_model', 'none'],
  ['raw_value', 'the value'],
  ['lesser', 'below'],
  ['greater', 'above'],
]);
const UPPER = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;
const LOWER = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
/** Fields of records of the service that hold constants; names and texts may be spelled like constants. */
const FIELDS: ReadonlySet<string> = new Set(
  'artifact_status,asset_type,bin_size,compare_to,condition,data_type,env_type,input_type,priority,resource_type,role,severity,latest_alert_record_severity,status,task,threshold_type,type,window_bin_size'.split(
    ',',
  ),
);

/** In lower case, with spaces; other values as they are. */
export function constantText(value: unknown): string {
  if (typeof value !== 'string') return formatJsonLine(value);
  const named = NAMED.get(value);
  if (named !== undefined) return named;
  return UPPER.test(value) || LOWER.test(value) ? value.replaceAll('_', ' ').toLowerCase() : value;
}

/** Null if the field holds no constant. */
export function constantOf(field: string, value: unknown): string | null {
  return typeof value === 'string' && FIELDS.has(field) ? constantText(value) : null;
}

/** Plain values of a list with commas; `–` for an empty one. */
export function listText(value: unknown): string {
  if (!Array.isArray(value)) return formatJsonLine(value);
  return value.length === 0 ? '–' : value.map((each) => formatJsonLine(each)).join(', ');
}
