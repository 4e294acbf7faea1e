/** Fills a new database with the sample workspace: the same seed gives the same records and identifiers. */
import { ORGANIZATION } from '../record-parts.ts';
import { readMeta, type Sqlite, writeMeta } from '../store.ts';
import type { Stores } from '../stores.ts';
import { generateCatalog } from './catalog.ts';
import { CLAIMS } from './claims-text.ts';
import { generateDataset } from './datasets.ts';
import { MODELS, type ModelPlan } from './models.ts';
import { generateMonitoring } from './monitoring.ts';
import { PastSpans } from './past-spans.ts';
import { SeededRandom } from './seeded-random.ts';
import { generateSpans } from './spans.ts';
import { SUPPORT } from './support-text.ts';
import { CLAIMS_SUBJECTS, SUPPORT_SUBJECTS } from './vocabulary.ts';

const DEFAULT_SEED = 20_251_103;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const SUPPORT_AGENTS = ['Order Desk', 'Refund Desk', 'Product Concierge'] as const;
const CLAIMS_AGENTS = ['Triage Analyst', 'Document Checker'] as const;

interface Reference {
  id: string;
  name: string;
}

/** Fills the database once; one that is filled stays as it is. `isEmpty`: one project and nothing else. */
export function fillWorkspace(
  db: Sqlite,
  stores: Stores,
  options: { seed?: number; isEmpty?: boolean; nowMs: number },
): void {
  addWorkspace(db, stores, options);
  addMonitoring(db, stores, options);
}

/** What watches the models came later than the models: a database from before gets it too. */
function addMonitoring(db: Sqlite, stores: Stores, options: { seed?: number; nowMs: number }): void {
  if (readMeta(db, 'filled-monitoring') !== null) return;
  db.transaction(() => {
    const baseMs = Math.floor(options.nowMs / HOUR_MS) * HOUR_MS;
    generateMonitoring(stores, new SeededRandom((options.seed ?? DEFAULT_SEED) + 1), baseMs);
    writeMeta(db, 'filled-monitoring', new Date(baseMs).toISOString());
  })();
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

function stamps(random: SeededRandom, baseMs: number): { created_at: string; updated_at: string } {
  const createdMs = baseMs - random.int(90, 400) * DAY_MS;
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
  // Of their own numbers: what else is made with these stays as it was.
  const supportPast = new PastSpans(new SeededRandom(seed + 2), {
    applicationId: support.id,
    domain: SUPPORT,
    agents: SUPPORT_AGENTS,
    baseMs,
  });
  const claimsPast = new PastSpans(new SeededRandom(seed + 3), {
    applicationId: claims.id,
    domain: CLAIMS,
    agents: CLAIMS_AGENTS,
    baseMs,
  });
  generateCatalog(stores.catalog, random, {
    applicationId: support.id,
    entityCount: 3_200,
    subjects: SUPPORT_SUBJECTS,
    agents: SUPPORT_AGENTS,
    referencePrefix: 'ORD',
    baseMs,
    past: supportPast,
  });
  generateCatalog(stores.catalog, random, {
    applicationId: claims.id,
    entityCount: 1_800,
    subjects: CLAIMS_SUBJECTS,
    agents: CLAIMS_AGENTS,
    referencePrefix: 'CLM',
    baseMs,
    past: claimsPast,
  });
  generateSpans(stores.spans, random, {
    applicationId: support.id,
    traceCount: 300,
    domain: SUPPORT,
    agents: SUPPORT_AGENTS,
    baseMs,
  });
  generateSpans(stores.spans, random, {
    applicationId: claims.id,
    traceCount: 240,
    domain: CLAIMS,
    agents: CLAIMS_AGENTS,
    baseMs,
  });
  for (const past of [supportPast, claimsPast]) past.addTo(stores.spans);
  addDatasets(stores, random, { support, claims, project, baseMs });
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
    ...stamps(random, baseMs),
  });
  const environments = [
    { name: 'production', type: 'PRODUCTION', row_count: 0 },
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
      ...stamps(random, baseMs),
    });
  }
}
