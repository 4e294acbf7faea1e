/** Constants of the service as words: `pre-production` for `PRE_PRODUCTION`. Pure. */

/** Constants whose words are not those of their spelling. */
export const NAMED: ReadonlyMap<string, string> = new Map([
  ['GEN_AI_APP', 'GenAI applications'],
  ['ML_MODEL', 'models'],
  ['PRE_PRODUCTION', 'pre-production'],
  ['no_model', 'none'],
  ['raw_value', 'the value'],
  ['lesser', 'below'],
  ['greater', 'above'],
  ['agent_name', 'agent'],
  ['input_tokens', 'input tokens'],
  ['output_tokens', 'output tokens'],
  ['total_tokens', 'all tokens'],
]);
/** Several words in capitals: always a constant. One word in capitals may be an acronym or the name of a thing. */
export const WORDS_IN_CAPITALS = /^[A-Z]+(?:_[A-Z]+)+$/;
/** Constants of one word, and those in lower case. Other texts stay as the service wrote them. */
export const WORDS: ReadonlySet<string> = new Set(
  `active admin analytics application array attribute binary_classification boolean cancelled category completed critical
  data_integrity dataset default embedding error event events failed failure file float high inactive initiated integer
  low medium member model monitoring multiclass_classification normal not_set numeric object pending performance
  production project ranking regression rolling service_metrics skipped span_name span_type
  standard_deviation_auto_threshold started
  static statistic string structured success successful text time_period timestamp token_count unknown unstructured validation
  vector warning`.split(/\s+/),
);
/** Fields of records of the service that hold constants; names and texts may be spelled like constants. */
const FIELDS: ReadonlySet<string> = new Set(
  'artifact_status,asset_type,bin_size,compare_to,condition,data_type,entity_type,env_type,input_type,metric_name,priority,resource_type,role,severity,latest_alert_record_severity,status,task,threshold_type,token_type,type,window_bin_size'.split(
    ',',
  ),
);

/** Constants in lower case, with spaces; acronyms, names and other values as they are. */
export function constantWords(value: string): string {
  const named = NAMED.get(value);
  if (named !== undefined) return named;
  const small = value.toLowerCase();
  const isConstant =
    WORDS_IN_CAPITALS.test(value) || (WORDS.has(small) && [small, value.toUpperCase()].includes(value));
  return isConstant ? small.replaceAll('_', ' ') : value;
}

/** States of spans, which have words of their own. */
export const SPAN_STATES: ReadonlyMap<string, string> = new Map([
  ['OK', 'OK'],
  ['ERROR', 'Failed'],
  ['UNSET', 'No status'],
]);

/** States of tasks of the service (SERVICE.md F7.6). */
export const TASK_STATES: ReadonlyMap<string, string> = new Map([
  ['PENDING', 'Waiting to start'],
  ['STARTED', 'In progress'],
  ['RETRY', 'Retrying'],
  ['SUCCESS', 'Done'],
  ['FAILURE', 'Failed'],
  ['REVOKED', 'Cancelled'],
]);

/** The state of a task in words; other values as they are. */
export const taskStatusWords = (value: string): string => TASK_STATES.get(value.toUpperCase()) ?? value;

/** The state of a span in words; other values as they are. */
export const spanStatusWords = (value: string): string => SPAN_STATES.get(value.toUpperCase()) ?? value;

/** Null if the field holds no constant. */
export function constantOf(field: string, value: unknown): string | null {
  if (field === 'status_code' && typeof value === 'string') return spanStatusWords(value);
  return typeof value === 'string' && FIELDS.has(field) ? constantWords(value) : null;
}
