/** Everything that reads, on a mutated service: each list, each record and each command, and what has to hold of them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { endpoint, type OperationId } from '../../electron/api/endpoints.ts';
import { operationText } from '../../electron/api/request-target.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runInTurn } from '../helpers/run-in-turn.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import type { MutatingServer } from './mutating-server.ts';
import { isList, type MutatedService } from './mutation.ts';

/** The identifiers of the sample workspace that the commands need. */
interface Names {
  application: string;
  model: string;
  dataset: string;
  rule: string;
  baseline: string;
  metric: string;
  environment: string;
  metricKey: string;
  spans: readonly unknown[];
}

type Fields = Record<string, unknown>;
/** The rows of a list in any envelope: with `data`, the bare part with `items`, or the bare rows. */
const itemsOf = (body: unknown): Fields[] => {
  if (Array.isArray(body)) return rowsOf(body);
  const { data = body } = (body ?? {}) as { data?: unknown };
  return rowsOf(Array.isArray(data) ? data : (data as Fields | undefined)?.['items']);
};
const rowsOf = (items: unknown): Fields[] => {
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object' && item !== null) : [];
};

export async function namesOf(server: MutatingServer): Promise<Names> {
  const first = async (path: string, name?: string) => {
    const found = itemsOf((await server.plain('GET', path)).body);
    const one = name === undefined ? found[0] : found.find((item) => item['name'] === name);
    return String(one?.['id']);
  };
  const application = await first('/v3/applications', 'Support assistant');
  const found = await server.plain('POST', '/v3/spans/query', {
    ...{ application_id: application, page_size: 20 },
    ...{ start_time: '2020-01-01T00:00:00Z', end_time: '2040-01-01T00:00:00Z' },
  });
  return {
    application,
    model: await first('/v3/models', 'Bank churn'),
    dataset: await first('/v3/evals/datasets', 'Claims triage, edge cases'),
    rule: await first('/v3/alert-rules'),
    baseline: await first('/v3/baselines'),
    metric: await first('/v3/custom-metrics'),
    environment: await first('/v3/environments'),
    metricKey: '',
    spans: itemsOf(found.body),
  };
}

/** The words of a command, and the operation whose rows or record it prints. */
interface Command {
  words: readonly string[];
  prints: OperationId | null;
  /** Starts threads or processes: tried only if the service changed what it asks for. */
  isHeavy?: true;
  /** Reads the file that the command before it writes. */
  isNext?: true;
}

function commandsOf(names: Names, folder: string): Command[] {
  const { application, model, dataset, rule } = names;
  const range = ['--since', '30d'];
  const ls = (resource: string, ...more: string[]) => ['ls', resource, ...more, '--json'];
  const get = (resource: string, ...more: string[]) => ['get', resource, ...more, '--json'];
  const file = (name: string) => join(folder, name);
  writeFileSync(file('churn.csv'), churnCsv(12));
  writeFileSync(file('spans.json'), JSON.stringify(names.spans));
  const mapping = JSON.stringify({ inputs: { question: 'system.gen_ai.llm.input.user' } });
  const of = (prints: OperationId, words: string[]): Command => ({ words, prints });
  const plain = (...words: string[]): Command => ({ words, prints: null });
  const heavy = (...words: string[]): Command => ({ words, prints: null, isHeavy: true });
  return [
    heavy('test'),
    of('applications.list', ls('applications')),
    of('applications.get', get('applications', application)),
    of('applications.metrics', get('applications.metrics', application)),
    of('attributes.list', ls('attributes')),
    of('catalog.list', ls('catalog', '--application', application)),
    plain('values', application, '--entity-type', 'attribute', '--name', 'gen_ai.request.model'),
    of('projects.list', ls('projects')),
    of('models.list', ls('models')),
    of('models.get', get('models', model)),
    of('models.metrics', get('models.metrics', model)),
    of('models.environments', ls('environments', '--model', model)),
    of('models.baselines', ls('baselines', '--model', model)),
    of('models.custom-metrics', ls('custom-metrics', '--model', model)),
    of('environments.list', ls('environments')),
    of('environments.get', get('environments', names.environment)),
    of('baselines.list', ls('baselines')),
    of('baselines.get', get('baselines', names.baseline)),
    of('custom-metrics.list', ls('custom-metrics')),
    of('custom-metrics.get', get('custom-metrics', names.metric)),
    of('segments.list', ls('segments')),
    of('evaluator-rules.list', ls('evaluator-rules')),
    of('genai-alert-rules.list', ls('genai-alert-rules')),
    of('access-keys.list', ls('access-keys')),
    of('users.list', ls('users')),
    of('jobs.list', ls('jobs')),
    of('evaluators.list', ls('evaluators')),
    of('datasets.list', ls('datasets')),
    of('datasets.get', get('datasets', dataset)),
    of('datasets.schema', ['schema', dataset, '--json']),
    of('datasets.items', ['items', dataset, '--json']),
    of('alert-rules.list', ls('alert-rules')),
    of('alert-rules.get', get('alert-rules', rule)),
    of('alert-rules.summary', ls('alert-rules.summary', ...range)),
    of('alert-rules.records', ls('alert-rules.records', '--alert', rule, ...range)),
    of('alert-rules.history', get('alert-rules.history', rule, ...range)),
    of('alert-rules.notification', get('alert-rules.notification', rule)),
    of('spans.query', ['spans', '--application', application, ...range, '--limit', '20', '--json']),
    of('spans.fields', ['span-fields', '--application', application, ...range, '--json']),
    of('server-info.get', get('server-info')),
    // Readable for a person, and by name.
    plain('ls', 'models'),
    plain('ls', 'alert-rules.summary', ...range),
    plain('get', 'applications', 'Support assistant'),
    plain('items', 'Claims triage, edge cases'),
    plain('schema', dataset),
    heavy('upload', file('churn.csv'), '--model', 'Bank churn', '--dry-run'),
    plain('upload', file('churn.csv'), '--model', model, '--plan'),
    plain(
      'from-spans',
      dataset,
      '--application',
      application,
      '--spans',
      file('spans.json'),
      '--mapping',
      mapping,
      '--plan',
    ),
    heavy('export', 'datasets.items', dataset, '--output', file('items.jsonl')),
    { ...heavy('items', 'add', dataset, file('items.jsonl'), '--dry-run'), isNext: true },
    heavy('export', 'applications', '--output', file('applications.jsonl')),
    plain(
      'score-items',
      dataset,
      '--evaluator',
      'conciseness',
      '--input',
      'response=expected_outputs.answer',
      '--plan',
    ),
    plain('keep', 'model', model, '--plan'),
    heavy('keep', 'application', application, '--plan'),
    heavy('profile', 'models'),
    heavy('sql', 'select count(*) from models'),
    plain('search', 'churn'),
    plain('snapshots', dataset),
    plain('health'),
    plain('traffic'),
    plain('budget', '--all'),
  ];
}

/** The success of one command, and the facts by which its outcome is judged. */
interface Outcome {
  command: string;
  prints: OperationId | null;
  text: string;
  error: { code: string; message: string } | null;
  asked: ReadonlyMap<OperationId, unknown[]>;
}

/**
 * Runs the commands one after the other over a data folder of its own. `isTried`: whether to run a command, by its place
 * and whether it starts threads or processes; one that is not run has a null outcome.
 */
export async function readAll(
  server: MutatingServer,
  names: Names,
  isTried: (index: number, isHeavy: boolean) => boolean = () => true,
): Promise<(Outcome | null)[]> {
  const folder = temporaryFolder('next-year');
  try {
    const all = commandsOf(names, folder.path);
    const isRun = all.map(({ isHeavy = false, isNext = false }, index) =>
      isTried(isNext ? index - 1 : index, isHeavy),
    );
    const commands = all.filter((_command, index) => isRun[index]);
    const asked: ReadonlyMap<OperationId, unknown[]>[] = [];
    const said = await runInTurn(
      commands.map(({ words }) => words),
      ['--data-dir', folder.path, '--base-url', server.baseUrl],
      TOKEN,
      () => asked.push(server.take()),
    );
    const opening = said.at(-1)?.command === 'open' ? said.at(-1) : undefined;
    if (opening?.error !== null) throw opening?.error ?? new Error('No engine was opened.');
    const log = join(folder.path, 'logs', 'main.log');
    const failures = existsSync(log)
      ? readFileSync(log, 'utf8')
          .split('\n')
          .filter((line) => line.includes('"error"'))
      : [];
    if (failures.length > 0) throw new Error(`The log has errors: ${failures.slice(0, 3).join('\n')}`);
    const outcomes = commands.map(({ words, prints }, index) => ({
      command: words.join(' ').replaceAll(folder.path, '.'),
      prints,
      text: said[index]?.text ?? '',
      error: said[index]?.error ?? null,
      asked: asked[index] ?? new Map<OperationId, unknown[]>(),
    }));
    return isRun.map((wasRun) => (wasRun ? (outcomes.shift() ?? null) : null));
  } finally {
    folder.remove();
  }
}

/** Field that a command adds to a record. */
const ADDED = 'asOf';

/** The printed output of the command, as records. */
function printed({ text, prints }: Outcome): unknown[] | null {
  if (prints === null) return null;
  const answer: unknown = JSON.parse(text.split('\n').find((line) => line.startsWith('{')) ?? 'null');
  if (typeof answer !== 'object' || answer === null) return null;
  if (isList(prints)) return (answer as { items?: unknown[] }).items ?? [];
  const { [ADDED]: _asOf, ...record } = answer as Fields;
  return [record];
}

/** Whether each printed row is one that the service sent, with every field unchanged. */
function lostRows(outcome: Outcome): string[] {
  if (outcome.error !== null || outcome.prints === null) return [];
  const bodies = outcome.asked.get(outcome.prints) ?? [];
  const sent = bodies.flatMap((body) =>
    isList(outcome.prints ?? 'models.get') ? itemsOf(body) : [recordOf(body)],
  );
  const rows = printed(outcome) ?? [];
  if (sent.length > 0 && rows.length === 0)
    return [`${outcome.command}: nothing printed of ${sent.length} records`];
  const odd = rows.filter((row) => !sent.some((each) => isDeepStrictEqual(row, each)));
  return odd
    .slice(0, 1)
    .map((row) => `${outcome.command}: not as sent: ${JSON.stringify(row).slice(0, 300)}`);
}

const recordOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'data' in body ? body.data : body;

export const changedBy = ({ mutations }: MutatedService): ReadonlySet<OperationId> =>
  new Set(mutations.flatMap(({ operations }) => [...operations]));

/** A list or a record is shown in whatever form it comes, unless the service refuses it or its rows age out. */
const REFUSED: ReadonlySet<string> = new Set(['FORBIDDEN', 'NOT_FOUND', 'INCOMPLETE']);

/** Faults found with a mutated service, one line each; `usual`: the outcomes with the service as it is. */
export function findFaults(
  service: MutatedService,
  outcomes: readonly (Outcome | null)[],
  usual: readonly (Outcome | null)[],
): string[] {
  const changed = changedBy(service);
  return outcomes
    .flatMap((outcome, index) => {
      if (outcome === null) return [];
      const { command, text, error, asked } = outcome;
      const before = usual[index];
      const faults: string[] = [];
      if (error !== null) {
        if (outcome.prints !== null && !REFUSED.has(error.code))
          faults.push(`${command}: nothing is shown: ${error.code} ${error.message}`);
        if (error.code === 'INTERNAL') faults.push(`${command}: INTERNAL ${error.message}`);
        if (!/\S.*[.!?…]$/s.test(error.message)) faults.push(`${command}: no sentence: ${error.message}`);
        const isConcerned = [...asked.keys(), ...(before?.asked.keys() ?? [])].some((id) => changed.has(id));
        if (before?.error === null && !isConcerned)
          faults.push(
            `${command}: failed although nothing it asks for changed: ${error.code} ${error.message}`,
          );
      }
      for (const bad of ['[object Object]', 'undefined', 'INTERNAL', 'Invalid Date'])
        if (text.includes(bad) && before?.text.includes(bad) !== true)
          faults.push(
            `${command}: ${bad} in ${text.slice(Math.max(0, text.indexOf(bad) - 80), text.indexOf(bad) + 80)}`,
          );
      return [...faults, ...lostRows(outcome)];
    })
    .concat(unnamed(outcomes));
}

/** Operations whose answers have another form than known, and that nothing said names. */
function unnamed(outcomes: readonly (Outcome | null)[]): string[] {
  const said = outcomes.map((outcome) => `${outcome?.text}\n${outcome?.error?.message}`).join('\n');
  const lines = said.split('\n').filter((line) => line.includes('was expected'));
  const twice = lines.filter((line, index) => lines.indexOf(line) !== index);
  const differing = outcomes.flatMap((outcome) =>
    [...(outcome?.asked ?? [])].flatMap(([operation, bodies]) => {
      const { item, answer } = endpoint(operation);
      const records = bodies.flatMap((body): unknown[] =>
        answer === 'paginated' ? itemsOf(body) : [recordOf(body)],
      );
      return records.every((record) => item.safeParse(record).success) ? [] : [operation];
    }),
  );
  return [
    ...twice.map((line) => `said twice: ${line}`),
    ...[...new Set(differing)]
      .filter((operation) => !said.includes(operationText(endpoint(operation))))
      .map((operation) => `${operation}: differs, and nothing names it`),
  ];
}

/** The commands that failed, each with its error. */
export const failuresOf = (outcomes: readonly (Outcome | null)[]): string[] =>
  outcomes.flatMap((outcome) =>
    outcome === null || outcome.error === null
      ? []
      : [`${outcome.command}: ${outcome.error.code} ${outcome.error.message}`],
  );
