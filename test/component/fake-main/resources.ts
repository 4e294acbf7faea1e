/** Fake resources: their rows and records, results of changes, and a task that the test advances. */

import type { WireError } from '../../../electron/shared/errors.ts';
import type { ActResult, JobState } from '../../../electron/shared/resource-contract.ts';
import type { RuleDraft, RuleDryRun } from '../../../electron/shared/rule-dry-run.ts';
import { experiment, metricsOf, placeOf } from './experiment-rows.ts';
import { iso, scenario, uuid } from './scenario.ts';

type Json = Record<string, unknown>;
interface Rows {
  total: number;
  make: (index: number) => Json;
}

const DAY = 86_400_000;
const MODEL = { id: uuid(200), name: 'Bank churn', version: 'v1' };
const PROJECT = { id: uuid(50), name: 'Risk models' };
export const JOB_ID = uuid(900);

const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? '';

const model = (index: number): Json => ({
  id: uuid(200 + index),
  name: pick(['Bank churn', 'Auto insurance value', 'Card fraud'], index),
  version: 'v1',
  project: PROJECT,
  task: 'binary_classification',
  created_at: iso(DAY * 80),
  updated_at: iso(DAY * (1 + index)),
});

const modelRecord: Json = {
  ...model(0),
  schema: {
    columns: [
      { name: 'CreditScore', data_type: 'int', min: 300, max: 850 },
      { name: 'Geography', data_type: 'category', categories: ['France', 'Spain'] },
    ],
  },
  spec: { inputs: ['CreditScore', 'Geography'], outputs: [], targets: [] },
};

/** Adds a column whose categories the model defines. */
const withIntents = (record: Json): Json => ({
  ...record,
  schema: {
    columns: [
      { name: 'intent', data_type: 'category', categories: ['delivery', 'voucher', 'refund', 'return'] },
    ],
  },
});

const baseline = (index: number): Json => ({
  id: uuid(300 + index),
  name: pick(['default_static_baseline', 'month before', 'two weeks back', 'golden'], index),
  type: index % 2 === 0 ? 'STATIC' : 'ROLLING',
  model: MODEL,
  environment: { id: uuid(400), type: 'PRODUCTION', name: 'production' },
  project: PROJECT,
  row_count: 1_000 * (index + 1),
  window_bin_size: index % 2 === 0 ? null : 'Day',
  offset_delta: index % 2 === 0 ? null : 2,
  start_time: index % 2 === 0 ? 1_767_225_600_000 : null,
  end_time: index % 2 === 0 ? 1_769_904_000_000 : null,
  created_at: iso(DAY * 20),
  updated_at: iso(DAY * (1 + index)),
});

const customMetric = (index: number): Json => ({
  id: uuid(500 + index),
  name: pick(['Blocked amount', 'Online share'], index),
  definition: 'average(if(CreditScore > 600, 1, 0))',
  description: 'Share of good scores.',
  model: MODEL,
  project: PROJECT,
  created_at: iso(DAY * 9),
  updated_at: iso(DAY * 2),
});
const segment = (index: number): Json => ({
  ...customMetric(index),
  name: pick(['Large payments', 'Online at night'], index),
  description: 'Payments of more than 500.',
  definition: 'amount > 500',
});

const RULES_OF = { id: uuid(0), name: 'Support assistant' };
const evaluatorRule = (index: number): Json => ({
  id: uuid(540 + index),
  name: pick(['Answer relevance', 'Short drafts', 'Safety'], index),
  application: scenario.rulesOfOthers === undefined ? RULES_OF : { id: uuid(1), name: 'Claims triage' },
  evaluator_name: pick(['answer_relevance', 'conciseness', 'toxicity'], index),
  evaluator_type_display_name: pick(['Answer relevance', 'Conciseness', 'Toxicity'], index),
  mapped_input_keys: { response: 'fiddler.contents.gen_ai.llm.output' },
  filters: index === 2 ? { span_type: ['llm'] } : { rules: [] },
  outputs: [
    { name: pick(['is_answer_relevant', 'is_concise', 'toxicity_prob'], index), possible_values: [] },
  ],
  enabled: index !== 2,
  sampling_rate: [1, 0.1, 0.5][index % 3],
  created_at: iso(DAY * 60),
  updated_at: iso(DAY * 20),
});
const genaiAlertRule = (index: number): Json => ({
  id: uuid(580 + index),
  name: pick(['Traffic stops', 'Answers get long', 'Unsafe answers'], index),
  application: { id: uuid(0), name: 'Support assistant' },
  metric_name: pick(['traffic', 'token_count', 'evaluator'], index),
  ...(index === 1 ? { token_type: 'output_tokens' } : {}),
  ...(index === 2 ? { evaluator_output_name: 'is_safe', evaluator_output_value: false } : {}),
  critical_threshold: index === 1 ? 1_200 : 10,
  warning_threshold: index === 1 ? 900 : null,
  notification_settings: [{ config: { recipients: ['mara@example.com'] } }],
  created_at: iso(DAY * 30),
  updated_at: iso(DAY * 10),
});
/** The result of a rule for the stored spans of the application. */
export const dryRun = (draft: RuleDraft): RuleDryRun => ({
  spans: 1_240,
  isCut: false,
  matching: 310,
  traces: 280,
  ignoredFilters: JSON.stringify(draft.filters) === '{"span_type":["llm"]}' ? ['{"span_type":["llm"]}'] : [],
  inputs: Object.entries(draft.mappedInputKeys).map(([name, path], at) => ({
    ...{ name, path: String(path) },
    foundAs: at === 0 ? ['system.gen_ai.llm.output'] : [],
    missing: at === 0 ? 4 : 310,
  })),
  incomplete: Object.keys(draft.mappedInputKeys).length > 1 ? 310 : 4,
  samplingRate: draft.samplingRate,
  rows: Array.from({ length: 20 }, (_, index) => ({
    spanId: `5b1c${String(index).padStart(12, '0')}`,
    traceId: `t${index}`,
    name: 'draft_answer',
    startTime: iso(index * 60_000),
    inputs: Object.keys(draft.mappedInputKeys).map((_key, at) =>
      at > 0 || index === 3
        ? null
        : `Your parcel left the depot this morning; the courier writes before it arrives. Reference ${index}.`,
    ),
  })),
});

const KEY_NAMES = ['Workbench', 'Nightly export', 'Old laptop'];
const accessKey = (index: number): Json => ({
  key_id: `fkh_k3y${String(index).padStart(8, '0')}`,
  name: pick(KEY_NAMES, index),
  key_suffix: index === 0 && scenario.tokenHours !== undefined ? 'b2x7Qa' : `a${index}b4c6`,
  created_at: iso(DAY * 40),
  updated_at: iso(DAY * 40),
  expires_at: iso(index === 2 ? DAY * 12 : -(index === 0 ? (scenario.tokenHours ?? 800) / 24 : 40) * DAY),
  last_used_at: iso(DAY * index),
  user: { id: uuid(70), email: 'mara@example.com', full_name: 'Mara Lind' },
});
const user = (index: number): Json => ({
  id: uuid(70 + index),
  username: pick(['mara.lind', 'ana.kovac'], index),
  first_name: pick(['Mara', 'Ana'], index),
  last_name: pick(['Lind', 'Kovac'], index),
  email: pick(['mara@example.com', 'ana@example.com'], index),
  org: { name: 'Meridian Mutual', role: pick(['MEMBER', 'ADMIN'], index) },
  projects: [{ name: 'Risk models', role: 'PROJECT_MEMBER' }],
  activity: { last_login_time: iso(DAY * (1 + index)) },
});

export const RESOURCE_ROWS: Readonly<Record<string, Rows>> = {
  'projects.list': { total: 1, make: () => ({ ...PROJECT, asset_type: 'ML_MODEL', created_at: iso(DAY) }) },
  'models.list': { total: 3, make: model },
  'baselines.list': { total: 4, make: baseline },
  'models.baselines': { total: 2, make: baseline },
  'custom-metrics.list': { total: 2, make: customMetric },
  'segments.list': { total: 2, make: segment },
  'access-keys.list': { total: 3, make: accessKey },
  'users.list': { total: 2, make: user },
  'genai-alert-rules.list': { total: 3, make: genaiAlertRule },
  'evaluator-rules.list': { total: scenario.rulesOfOthers ?? 3, make: evaluatorRule },
  ...(scenario.hasEvaluators === true
    ? { 'evaluators.list': { total: 1, make: () => ({ id: uuid(560), name: 'conciseness' }) } }
    : {}),
  'jobs.list': { total: 1, make: () => ({ id: JOB_ID, name: 'Delete application', status: 'STARTED' }) },
};

export const RESOURCE_RECORDS: Readonly<Record<string, (path: Readonly<Record<string, string>>) => Json>> = {
  'experiments.get': ({ experiment_id: id }) => experiment(Math.max(0, placeOf(id ?? ''))),
  'experiments.metrics': ({ experiment_id: id }) => metricsOf(id ?? ''),
  'models.get': () => (scenario.hasUnusual ? withIntents(modelRecord) : modelRecord),
  'applications.get': ({ application_id: id }) => ({ id, name: 'Support assistant', project: PROJECT }),
  'baselines.get': ({ baseline_id: id }) => find(baseline, 4, id),
  'custom-metrics.get': ({ uuid: id }) => find(customMetric, 2, id),
  'access-keys.get': ({ key_id: id }) => [0, 1, 2].map(accessKey).find((key) => key['key_id'] === id) ?? {},
  'segments.get': ({ segment_id: id }) => find(segment, 2, id),
  'datasets.get': ({ dataset_id: id }) => ({
    id,
    name: 'Refund questions',
    description: 'Questions about refunds',
    active: true,
    // The same time as of the first row in the list.
    created_at: iso(DAY * 90),
    metadata: { owner: 'evaluation' },
    application: { id: uuid(0), name: 'Support assistant' },
  }),
};

function find(make: (index: number) => Json, total: number, id: string | undefined): Json {
  const all = Array.from({ length: total }, (_, index) => make(index));
  return all.find((row) => row['id'] === id) ?? { id, name: 'made just now' };
}

const rejection = (code: WireError['code'], status: number, message: string): WireError => ({
  code,
  title: code === 'CONFLICT' ? 'Already exists or changed' : 'Request not accepted',
  message: `The request was answered with status ${status}. The service says: ${message}`,
  retry: 'never',
  details: { status, outcome: 'answered', issues: [{ reason: 'Conflict', message }] },
});

/** Throws a WireError if the change is rejected. */
export function act(request: {
  operation: string;
  path: Record<string, string>;
  body: Record<string, unknown> | null;
}): ActResult {
  const { operation, path, body } = request;
  if (operation === 'baselines.create' && body?.['name'] === 'month before') {
    throw rejection('CONFLICT', 409, 'The model has a baseline named "month before" already.');
  }
  if (operation === 'baselines.delete' && path['baseline_id'] === uuid(301)) {
    throw rejection('BAD_REQUEST', 400, 'The alert rule "Drift" uses it. Delete the rule first.');
  }
  if (operation === 'datasets.update' && body?.['active'] === false) {
    throw rejection('BAD_REQUEST', 400, 'active cannot be false while an experiment reads the items.');
  }
  if (scenario.act === 'lost') {
    const details = { outcome: 'unknown' as const };
    const message = 'The connection ended before the answer was complete.';
    throw { code: 'CONNECTION_LOST', title: 'Connection lost', message, retry: 'later', details };
  }
  if (scenario.act === 'forbidden')
    throw rejection(
      'FORBIDDEN',
      403,
      'The role of this token may read alert rules, but neither make nor change them. Ask an administrator of the project.',
    );
  const isDeletion = operation === 'applications.delete';
  return {
    status: isDeletion ? 202 : 200,
    record: body === null ? null : { ...body, id: uuid(800) },
    requestId: uuid(801),
    job: isDeletion ? { id: JOB_ID, name: 'Delete application' } : null,
  };
}

export function watchJob({ jobId }: { jobId: string }): JobState {
  return {
    jobId,
    name: 'Delete application',
    status: 'PENDING',
    progress: 0,
    errorMessage: null,
    isOver: false,
    checkedAtMs: null,
    error: null,
  };
}
