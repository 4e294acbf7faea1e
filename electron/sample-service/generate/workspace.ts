/** Fills a new database with the sample workspace. The same seed gives the same records and identifiers. */
import { ORGANIZATION } from '../record-parts.ts';
import { type JsonRecord, readMeta, type Sqlite, writeMeta } from '../store.ts';
import type { SpanStore } from '../store-spans.ts';
import type { Stores } from '../stores.ts';
import { generateAccess } from './access.ts';
import { addCatalog, holdMissing, planCatalog } from './catalog.ts';
import { CLAIMS } from './claims-text.ts';
import { generateDataset } from './datasets.ts';
import { generateEvaluatorRules } from './evaluator-rules.ts';
import { generateExperiments } from './experiments.ts';
import { generateGenaiAlertRules } from './genai-alert-rules.ts';
import { MODELS, type ModelPlan } from './models.ts';
import { generateMonitoring, generateSegments } from './monitoring.ts';
import { PastSpans } from './past-spans.ts';
import { SeededRandom } from './seeded-random.ts';
import { generateSpans } from './spans.ts';
import { SUPPORT } from './support-text.ts';
import { CLAIMS_SUBJECTS, SUPPORT_SUBJECTS } from './vocabulary.ts';

const DEFAULT_SEED = 20_251_103;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Minimum age of models, longer than the time that their baselines cover. */
const MIN_MODEL_DAYS = 200;

const SUPPORT_AGENTS = ['Order Desk', 'Refund Desk', 'Product Concierge'] as const;
const CLAIMS_AGENTS = ['Triage Analyst', 'Document Checker'] as const;

interface Reference {
  id: string;
  name: string;
}

/** Fills an empty database; a filled one stays unchanged. `isEmpty`: creates only one project. */
export function fillWorkspace(
  db: Sqlite,
  stores: Stores,
  options: { seed?: number; isEmpty?: boolean; nowMs: number },
): void {
  addWorkspace(db, stores, options);
  addLaterParts(db, stores, options);
}

/**
 * Parts that were added in later versions, which an existing database also gets. Each has its own random numbers, so
 * that they do not affect each other.
 */
const LATER_PARTS = [
  { mark: 'filled-monitoring', seed: 1, generate: generateMonitoring },
  { mark: 'filled-experiments', seed: 4, generate: generateExperiments },
  { mark: 'filled-segments', seed: 5, generate: generateSegments },
  { mark: 'filled-access', seed: 6, generate: generateAccess },
  { mark: 'filled-evaluator-rules', seed: 7, generate: generateEvaluatorRules },
  { mark: 'filled-genai-alert-rules', seed: 8, generate: generateGenaiAlertRules },
] as const;

function addLaterParts(db: Sqlite, stores: Stores, options: { seed?: number; nowMs: number }): void {
  const baseMs = Math.floor(options.nowMs / HOUR_MS) * HOUR_MS;
  for (const { mark, seed, generate } of LATER_PARTS) {
    if (readMeta(db, mark) !== null) continue;
    db.transaction(() => {
      generate(stores, new SeededRandom((options.seed ?? DEFAULT_SEED) + seed), baseMs);
      writeMeta(db, mark, new Date(baseMs).toISOString());
    })();
  }
}

function addWorkspace(
  db: Sqlite,
  stores: Stores,
  options: { seed?: number; isEmpty?: boolean; nowMs: number },
): void {
  if (readMeta(db, 'filled') !== null) return;
  db.transaction(() => {
    const random = new SeededRandom(options.seed ?? DEFAULT_SEED);
    const baseMs = Math.floor(options.nowMs / HOUR_MS) * HOUR_MS;
    const genai = addProject(stores, random, 'Customer operations', 'GEN_AI_APP', baseMs);
    if (options.isEmpty !== true) {
      addApplications(stores, random, genai, baseMs, options.seed ?? DEFAULT_SEED);
      const models = addProject(stores, random, 'Risk models', 'ML_MODEL', baseMs);
      for (const plan of MODELS) addModel(stores, random, plan, models, baseMs);
    }
    writeMeta(db, 'filled', new Date(baseMs).toISOString());
  })();
}

function stamps(
  random: SeededRandom,
  baseMs: number,
  leastDays = 90,
): { created_at: string; updated_at: string } {
  const createdMs = baseMs - random.int(leastDays, 400) * DAY_MS;
  return {
    created_at: new Date(createdMs).toISOString(),
    updated_at: new Date(createdMs + random.int(1, 80) * DAY_MS).toISOString(),
  };
}

function addProject(
  stores: Stores,
  random: SeededRandom,
  name: string,
  assetType: string,
  baseMs: number,
): Reference & { asset_type: string } {
  const project = { id: random.uuid(), name, asset_type: assetType };
  stores.resources.add('project', project.id, null, {
    ...project,
    organization: ORGANIZATION,
    ...stamps(random, baseMs),
  });
  return project;
}

function addApplication(
  stores: Stores,
  random: SeededRandom,
  name: string,
  project: Reference,
  baseMs: number,
): Reference {
  const application = { id: random.uuid(), name };
  stores.resources.add('application', application.id, project.id, {
    ...application,
    project: { id: project.id, name: project.name },
    organization: ORGANIZATION,
    ...stamps(random, baseMs),
  });
  return application;
}

function addApplications(
  stores: Stores,
  random: SeededRandom,
  project: Reference & { asset_type: string },
  baseMs: number,
  seed: number,
): void {
  const support = addApplication(stores, random, 'Support assistant', project, baseMs);
  const claims = addApplication(stores, random, 'Claims triage agent', project, baseMs);
  // Past spans have a generator of their own, so that other generated data stays the same.
  addTraffic(stores, random, new SeededRandom(seed + 2), {
    applicationId: support.id,
    domain: SUPPORT,
    agents: SUPPORT_AGENTS,
    baseMs,
    traceCount: 300,
    entityCount: 3_200,
    subjects: SUPPORT_SUBJECTS,
    referencePrefix: 'ORD',
  });
  addTraffic(stores, random, new SeededRandom(seed + 3), {
    applicationId: claims.id,
    domain: CLAIMS,
    agents: CLAIMS_AGENTS,
    baseMs,
    traceCount: 240,
    entityCount: 1_800,
    subjects: CLAIMS_SUBJECTS,
    referencePrefix: 'CLM',
  });
  addDatasets(stores, random, { support, claims, project, baseMs });
}

/** Adds the spans of an application, and the catalog that is counted from them. */
function addTraffic(
  stores: Stores,
  random: SeededRandom,
  pastRandom: SeededRandom,
  plan: Parameters<typeof planCatalog>[1] & Parameters<typeof generateSpans>[2],
): void {
  const { applicationId } = plan;
  const spans: JsonRecord[] = [];
  const store: Pick<SpanStore, 'add'> = {
    add: (span) => {
      spans.push(span.record);
      stores.spans.add(span);
    },
  };
  const candidates = planCatalog(random, plan);
  generateSpans(store, random, plan);
  const past = new PastSpans(pastRandom, plan);
  holdMissing(random, candidates, { spans, past });
  past.addTo(store);
  addCatalog(stores.catalog, random, candidates, { applicationId, spans });
}

function addDatasets(
  stores: Stores,
  random: SeededRandom,
  parts: {
    support: Reference;
    claims: Reference;
    project: Reference & { asset_type: string };
    baseMs: number;
  },
): void {
  const shared = { project: parts.project, organization: ORGANIZATION, baseMs: parts.baseMs };
  generateDataset(stores, random, {
    ...shared,
    name: 'Support answers, golden set',
    description: 'Questions of one quarter with answers that two people agreed on.',
    itemCount: 1_250,
    metadata: { owner: 'quality team', quarter: 'Q3' },
    application: parts.support,
    domain: SUPPORT,
  });
  generateDataset(stores, random, {
    ...shared,
    name: 'Claims triage, edge cases',
    description: 'Claims that went to the wrong team at first.',
    itemCount: 320,
    metadata: { owner: 'claims desk' },
    application: parts.claims,
    domain: CLAIMS,
  });
  generateDataset(stores, random, {
    ...shared,
    name: 'Escalations, to be collected',
    description: 'Empty for now.',
    itemCount: 0,
    metadata: {},
    application: parts.support,
    domain: SUPPORT,
  });
}

function addModel(
  stores: Stores,
  random: SeededRandom,
  plan: ModelPlan,
  project: Reference,
  baseMs: number,
): void {
  const id = random.uuid();
  const model = { id, name: plan.name, version: 'v1' };
  const owner = { project: { id: project.id, name: project.name }, organization: ORGANIZATION };
  const made = stamps(random, baseMs, MIN_MODEL_DAYS);
  stores.resources.add('model', id, project.id, {
    ...model,
    ...owner,
    input_type: 'structured',
    task: plan.task,
    description: plan.description,
    artifact_status: 'no_model',
    event_id_col: plan.eventIdColumn,
    event_ts_col: plan.timeColumn,
    event_ts_format: plan.timeFormat,
    schema: { columns: plan.columns },
    spec: { ...plan.spec, decisions: [], custom_features: [] },
    task_params: {},
    ...made,
  });
  const environments = [
    { name: 'production', type: 'PRODUCTION' },
    ...plan.preProduction.map(({ name, rowCount }) => ({
      name,
      type: 'PRE_PRODUCTION',
      row_count: rowCount,
    })),
  ];
  for (const environment of environments) {
    const environmentId = random.uuid();
    stores.resources.add('environment', environmentId, id, {
      id: environmentId,
      ...environment,
      model,
      ...owner,
      ...made,
    });
  }
}
