/** Words for names of attributes and their values. */
type Words = readonly [string, ...string[]];

interface FieldWord {
  field: string;
  /** Semantic concept the field maps to, if it is mapped. */
  concept: string;
}

interface TextFieldWord extends FieldWord {
  /** The possible values; null if the values are references that differ for every record. */
  values: Words | null;
}

export const NUMERIC_FIELDS: readonly FieldWord[] = [
  ['amount', 'monetary_amount'],
  ['count', 'item_count'],
  ['score', 'quality_score'],
  ['duration_ms', 'latency'],
  ['age_days', 'age'],
  ['confidence', 'confidence'],
  ['retries', 'retry_count'],
  ['token_count', 'token_count'],
  ['cost_usd', 'cost'],
  ['distance_km', 'distance'],
  ['rank', 'rank'],
  ['probability', 'probability'],
  ['wait_seconds', 'latency'],
  ['text_length', 'text_length'],
  ['discount_rate', 'ratio'],
].map(([field = '', concept = '']) => ({ field, concept }));

export const TEXT_FIELDS: readonly TextFieldWord[] = [
  {
    field: 'status',
    concept: 'status',
    values: ['open', 'pending', 'on_hold', 'closed', 'cancelled', 'reopened'],
  },
  { field: 'channel', concept: 'channel', values: ['web', 'app', 'email', 'phone', 'branch', 'partner'] },
  {
    field: 'category',
    concept: 'category',
    values: ['standard', 'premium', 'basic', 'corporate', 'internal'],
  },
  {
    field: 'region',
    concept: 'region',
    values: [
      'north',
      'south',
      'east',
      'west',
      'central',
      'islands',
      'overseas',
      'alpine',
      'coastal',
      'metro',
    ],
  },
  {
    field: 'language',
    concept: 'language',
    values: ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'da', 'pl', 'cs', 'fi'],
  },
  { field: 'tier', concept: 'customer_tier', values: ['bronze', 'silver', 'gold'] },
  { field: 'type', concept: 'type', values: ['new', 'renewal', 'change', 'correction'] },
  {
    field: 'reason',
    concept: 'reason',
    values: ['late', 'damaged', 'wrong_item', 'duplicate', 'price', 'no_longer_needed', 'quality', 'unclear'],
  },
  { field: 'source', concept: 'source', values: ['crm', 'warehouse', 'knowledge_base', 'manual', 'import'] },
  { field: 'stage', concept: 'stage', values: ['intake', 'review', 'decision', 'payment', 'done'] },
  { field: 'priority', concept: 'priority', values: ['low', 'normal', 'high', 'urgent'] },
  { field: 'outcome', concept: 'outcome', values: ['accepted', 'declined', 'partly_accepted', 'withdrawn'] },
  { field: 'currency', concept: 'currency', values: ['EUR', 'GBP', 'SEK', 'DKK', 'CHF', 'PLN'] },
  {
    field: 'country',
    concept: 'country',
    values: [
      'AT',
      'BE',
      'CH',
      'CZ',
      'DE',
      'DK',
      'ES',
      'FI',
      'FR',
      'GB',
      'IE',
      'IT',
      'NL',
      'NO',
      'PL',
      'PT',
      'SE',
    ],
  },
  { field: 'segment', concept: 'segment', values: ['household', 'small_business', 'enterprise'] },
  { field: 'model_version', concept: 'model_version', values: ['2024-11', '2025-02', '2025-06', '2025-09'] },
  { field: 'reference', concept: 'identifier', values: null },
];

interface SystemAttribute {
  name: string;
  dataType: 'numeric' | 'string';
  concept: string;
  scope: 'span' | 'session';
  values: Words | null;
}

/** Models of the catalog. Spans use the same list, so that both have the same values. */
export const CHAT_MODELS: Words = [
  'haiku-house-small',
  'meridian-chat-2',
  'meridian-chat-2-mini',
  'open-mix-22b',
  'tower-70b',
  'tower-8b',
];
export const PROVIDERS: Words = ['meridian', 'openmix', 'towerworks'];

export const FINISH_REASONS: Words = ['stop', 'length', 'tool_calls', 'content_filter'];
/** Tools that a step may use, besides passage search. */
export const TOOLS: Words = ['lookup_record', 'calculate', 'send_message', 'book_slot'];
export const SERVICES: Words = ['gateway', 'orchestrator', 'worker'];
export const VERSIONS: Words = ['3.18.0', '3.19.0', '3.19.1', '3.20.0'];
export const ENVIRONMENTS: Words = ['production', 'staging', 'canary'];
/** Names of the steps in every trace, except tools. */
export const STEP_NAMES: Words = [
  'handle_request',
  'classify_request',
  'compose_answer',
  'draft_answer',
  'review_answer',
  'search_passages',
];

function text(
  name: string,
  concept: string,
  values: Words | null,
  scope: 'span' | 'session' = 'span',
): SystemAttribute {
  return { name, dataType: 'string', concept, scope, values };
}

function numeric(name: string, concept: string): SystemAttribute {
  return { name, dataType: 'numeric', concept, scope: 'span', values: null };
}

export const SYSTEM_ATTRIBUTES: readonly SystemAttribute[] = [
  text('gen_ai.request.model', 'model_name', CHAT_MODELS),
  text('gen_ai.response.model', 'model_name', CHAT_MODELS),
  text('gen_ai.system', 'provider_name', PROVIDERS),
  text('gen_ai.provider.name', 'provider_name', PROVIDERS),
  text('gen_ai.operation.name', 'operation_name', ['chat', 'execute_tool', 'invoke_agent']),
  text('gen_ai.response.finish_reasons', 'finish_reason', FINISH_REASONS),
  text('gen_ai.agent.name', 'agent_name', ['Router', 'Resolver', 'Reviewer']),
  text('gen_ai.agent.id', 'agent_id', null),
  text('gen_ai.conversation.id', 'session_id', null, 'session'),
  text('gen_ai.tool.name', 'tool_name', ['search_passages', ...TOOLS]),
  text('gen_ai.tool.call.id', 'tool_call_id', null),
  text('gen_ai.tool.type', 'UNKNOWN', ['function', 'extension', 'datastore']),
  numeric('gen_ai.usage.input_tokens', 'input_tokens'),
  numeric('gen_ai.usage.output_tokens', 'output_tokens'),
  numeric('gen_ai.usage.total_tokens', 'total_tokens'),
  numeric('gen_ai.request.temperature', 'temperature'),
  numeric('gen_ai.request.top_p', 'top_p'),
  numeric('gen_ai.request.max_tokens', 'max_tokens'),
  numeric('http.response.status_code', 'UNKNOWN'),
  text('service.name', 'service_name', SERVICES),
  text('service.version', 'UNKNOWN', VERSIONS),
  text('deployment.environment.name', 'environment_name', ENVIRONMENTS),
  text('session.id', 'session_id', null, 'session'),
  text('enduser.pseudo.id', 'user_id', null, 'session'),
];

export const SUPPORT_SUBJECTS: Words = [
  'order',
  'refund',
  'shipment',
  'customer',
  'ticket',
  'product',
  'subscription',
  'payment',
  'return',
  'warranty',
  'voucher',
  'account',
  'conversation',
  'handover',
  'article',
  'retrieval',
  'guardrail',
  'sentiment',
  'escalation',
  'delivery',
  'invoice',
  'address',
];
export const CLAIMS_SUBJECTS: Words = [
  'claim',
  'policy',
  'vehicle',
  'incident',
  'adjuster',
  'estimate',
  'repair',
  'damage',
  'coverage',
  'deductible',
  'fraud_check',
  'document',
  'witness',
  'photo',
  'reserve',
  'payout',
  'claimant',
  'appraisal',
  'triage',
  'clause',
];
export const QUALIFIERS: Words = ['', 'previous_', 'requested_', 'final_', 'initial_'];
export const PREFIXES: Words = ['fiddler.span.user.', 'fiddler.session.user.', 'user.', 'app.'];
export const SPAN_VERBS: Words = [
  'classify',
  'retrieve',
  'rerank',
  'summarize',
  'draft',
  'review',
  'look_up',
  'validate',
  'translate',
  'extract',
  'compare',
  'route',
  'score',
  'redact',
];
export const AGENT_ROLES: Words = ['Desk', 'Analyst', 'Checker', 'Planner', 'Concierge'];
