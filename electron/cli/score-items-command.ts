/** `score-items DATASET`: scores dataset items, stores the scores on this computer and writes them as CSV. */
import type { Session } from '../engine/session.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { jsonObject } from '../shared/json-body.ts';
import { shownName } from '../shared/plan-bounds.ts';
import { checkName, checkNote } from '../shared/score-check.ts';
import {
  SCORE_BUCKETS,
  type ScoreInput,
  type ScorePlan,
  scoreInput,
  scorePlan,
} from '../shared/score-model.ts';
import type { CommandContext } from './context.ts';
import { follow } from './follow.ts';
import { readTextFile } from './given-text.ts';
import { readJsonOption } from './json-argument.ts';
import { resolveName } from './names.ts';
import { answersPlan, sayPlanned, startAtOf, startOrWait } from './planned-start.ts';
import { experimentOf } from './read-experiment.ts';
import { SCORES } from './score-answers.ts';
import { readCheck } from './score-check-options.ts';

const MAX_ITEMS = 2_000;

/** Scores every item, or those whose ids are in a file. Failures are printed and written to the file. */
export async function scoreItems(context: CommandContext): Promise<void> {
  const { args } = context;
  const name = args.positionals[0];
  const ofExperiment = args.text('experiment');
  if ((name === undefined) === (ofExperiment === null))
    throw new AppError(
      'INVALID_ARGUMENT',
      'score-items expects either DATASET, or --experiment with --check: an id or a name.',
    );
  const check = await readCheck(context);
  // A check sends nothing, so it may run at once, even offline.
  const startAtMs = check === null ? startOrWait(context) : startAtOf(context);
  const evaluator = check === null ? args.text('evaluator') : checkName(check);
  const note = check === null ? null : checkNote(check);
  if (note !== null) context.output.note(note);
  if (evaluator === null || (check !== null && args.text('evaluator') !== null)) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'score-items expects either --evaluator NAME or --check KIND, which is computed here.',
    );
  }
  const inputs = args.texts('input').map(readInput);
  if (inputs.length === 0) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'score-items expects --input NAME=BUCKET.FIELD or NAME=@TEXT, at least once.',
    );
  }
  const parameters = await readParameters(context);
  const itemIds = await readItemIds(context);
  if (ofExperiment !== null && (check === null || itemIds !== null))
    throw new AppError('INVALID_ARGUMENT', '--experiment expects --check, and takes no --items.');
  const session = await context.session();
  const source =
    ofExperiment === null ? await datasetOf(context, name ?? '') : await experimentOf(context, ofExperiment);
  const { datasetId } = source;
  const title = args.text('name');
  const plan: ScorePlan = {
    ...{ ...source, evaluator, parameters, inputs, itemIds },
    ...(check === null ? {} : { check }),
    ...(title === null ? {} : { name: readRunName(title) }),
  };
  const expectedItems =
    itemIds?.length ?? (check === null ? await countItems(context, session, datasetId) : null);
  const requests = check === null ? [{ operation: 'evaluators.score', count: expectedItems ?? 0 }] : [];
  if (expectedItems === null && check === null)
    context.output.note('How many items there are is not known: one request for each.');
  if (check !== null && args.flag('plan')) {
    context.output.answer({ requests: 0 }, () => 'Checks are computed here. Nothing was sent.');
    return;
  }
  if (check === null && (await answersPlan(context, requests, startAtMs))) return;
  const run = await session.datasets.scores.create(plan, { startAtMs, expectedItems });
  if (startAtMs !== null) sayPlanned(context, startAtMs);
  await follow(context, session, SCORES, run.runId);
}

type Source = Pick<ScorePlan, 'datasetId' | 'datasetName' | 'experiment'>;

const datasetOf = async (context: CommandContext, typed: string): Promise<Source> => ({
  datasetId: await resolveName(context, 'datasets.list', typed),
  datasetName: shownName(typed),
});

/**
 * Number of items of the dataset from its schema; null if the service counted a sample, or if the schema cannot be
 * read.
 */
async function countItems(
  { signal, output }: CommandContext,
  { client }: Session,
  datasetId: string,
): Promise<number | null> {
  try {
    const input = { path: { dataset_id: datasetId } };
    const { value } = await client.call('datasets.schema', input, { priority: 'click', signal });
    return value.sampled === true ? null : value.total_items;
  } catch (thrown) {
    output.note(`Items not counted: ${toAppError(thrown).message}`);
    return null;
  }
}

function readRunName(typed: string): string {
  const parsed = scorePlan.shape.name.safeParse(typed.trim());
  if (parsed.success && parsed.data !== undefined) return parsed.data;
  throw new AppError('INVALID_ARGUMENT', '--name expects a name of 1 to 200 characters for the run.');
}

/** Parses `prompt=inputs.question`; `tone=@plain` uses the same text for every item. */
function readInput(text: string): ScoreInput {
  const cut = text.indexOf('=');
  const [input, from] = [text.slice(0, cut), text.slice(cut + 1)];
  const bucket = SCORE_BUCKETS.find((candidate) => from.startsWith(`${candidate}.`));
  const source = from.startsWith('@')
    ? { kind: 'text', text: from.slice(1) }
    : { kind: 'field', bucket, field: from.slice((bucket ?? '').length + 1) };
  const parsed = scoreInput.safeParse({ input, from: source });
  if (cut > 0 && parsed.success) return parsed.data;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--input expects NAME=BUCKET.FIELD with one of ${SCORE_BUCKETS.join(', ')}, or NAME=@TEXT; got ${text}.`,
  );
}

async function readParameters(context: CommandContext): Promise<ScorePlan['parameters']> {
  const parsed = jsonObject.safeParse((await readJsonOption(context, 'parameters')) ?? {});
  if (parsed.success) return parsed.data;
  throw new AppError('INVALID_ARGUMENT', '--parameters expects a JSON object, such as {"model": "…"}.');
}

/** The ids in a file, one in each line; null without a file. */
async function readItemIds(context: CommandContext): Promise<string[] | null> {
  const file = context.args.text('items');
  if (file === null) return null;
  const text = await readTextFile(context, 'items', file);
  const ids = [...new Set(text.split(/\s+/).filter((id) => id !== ''))];
  if (ids.length > 0 && ids.length <= MAX_ITEMS) return ids;
  throw new AppError(
    'INVALID_ARGUMENT',
    `${file} must list 1 to ${MAX_ITEMS} item ids, one per line; got ${ids.length}.`,
  );
}
