/** `score-items DATASET`: scores of dataset items, kept on this computer and written as CSV. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Session } from '../engine/session.ts';
import { BUCKETS } from '../shared/dataset-model.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import { type ScoreInput, type ScorePlan, type ScoreRun, scoreInput } from '../shared/score-model.ts';
import type { CommandContext } from './context.ts';
import { readJsonOption } from './json-argument.ts';
import { resolveName } from './names.ts';

const MOST_ITEMS = 2_000;

/** Scores every item, or those whose ids a file lists; what failed is said and can be seen in the file. */
export async function scoreItems(context: CommandContext): Promise<void> {
  const { args } = context;
  const name = args.positionals[0];
  if (name === undefined)
    throw new AppError('INVALID_ARGUMENT', 'score-items expects DATASET: an id or a name.');
  const evaluator = args.text('evaluator');
  if (evaluator === null) throw new AppError('INVALID_ARGUMENT', 'score-items expects --evaluator NAME.');
  const inputs = args.texts('input').map(readInput);
  if (inputs.length === 0) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'score-items expects --input NAME=BUCKET.FIELD or NAME=@TEXT, at least once.',
    );
  }
  const parameters = await readParameters(context);
  const itemIds = await readItemIds(args.text('items'));
  const session = await context.session();
  const datasetId = await resolveName(context, 'datasets.list', name);
  const plan: ScorePlan = { datasetId, datasetName: name, evaluator, parameters, inputs, itemIds };
  await follow(context, session, session.datasets.scores.start(plan));
}

/** `prompt=inputs.question`; `tone=@plain` gives every item the same text. */
function readInput(text: string): ScoreInput {
  const cut = text.indexOf('=');
  const [input, from] = [text.slice(0, cut), text.slice(cut + 1)];
  const bucket = BUCKETS.find((candidate) => from.startsWith(`${candidate}.`));
  const source = from.startsWith('@')
    ? { kind: 'text', text: from.slice(1) }
    : { kind: 'field', bucket, field: from.slice((bucket ?? '').length + 1) };
  const parsed = scoreInput.safeParse({ input, from: source });
  if (cut > 0 && parsed.success) return parsed.data;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--input expects NAME=BUCKET.FIELD with one of ${BUCKETS.join(', ')}, or NAME=@TEXT; got ${text}.`,
  );
}

const parameterFields = z.record(z.string(), z.json());

async function readParameters(context: CommandContext): Promise<ScorePlan['parameters']> {
  const parsed = parameterFields.safeParse((await readJsonOption(context, 'parameters')) ?? {});
  if (parsed.success) return parsed.data;
  throw new AppError('INVALID_ARGUMENT', '--parameters expects a JSON object, such as {"model": "…"}.');
}

/** One id a line. */
async function readItemIds(file: string | null): Promise<string[] | null> {
  if (file === null) return null;
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new AppError('FILE_NOT_FOUND', `--items names ${file}, which cannot be read.`, {}, thrown);
  });
  const ids = [...new Set(text.split(/\s+/).filter((id) => id !== ''))];
  if (ids.length > 0 && ids.length <= MOST_ITEMS) return ids;
  throw new AppError(
    'INVALID_ARGUMENT',
    `${file} must list 1 to ${MOST_ITEMS} item ids, one a line; got ${ids.length}.`,
  );
}

/** Shows progress until the run rests; Ctrl-C pauses it. */
async function follow(context: CommandContext, session: Session, { runId }: ScoreRun): Promise<void> {
  const { scores } = session.datasets;
  const stop = context.listen('scores:changed', ({ run }) => {
    if (run.runId === runId)
      context.output.progress(`${run.state}: ${run.counts.scored} of ${run.counts.items} scored`);
  });
  const pause = () => {
    scores.control(runId, 'pause');
  };
  if (context.signal.aborted) pause();
  else context.signal.addEventListener('abort', pause, { once: true });
  try {
    const run = await scores.whenIdle(runId);
    const path =
      context.args.text('output') ?? join(dirname(session.receiptsFile(runId)), `scores-${runId}.csv`);
    await scores.writeFile(runId, path);
    answer(context, run, path);
  } finally {
    stop();
    context.signal.removeEventListener('abort', pause);
  }
}

function answer(context: CommandContext, run: ScoreRun, scoresFile: string): void {
  const { counts, state, reason, runId, scoreNames } = run;
  context.output.answer({ runId, state, reason, ...counts, scoreNames, scoresFile }, () =>
    [
      state,
      `${counts.scored} of ${counts.items} items scored (${scoreNames.join(', ')}), ${counts.failed} failed, ${counts.unscored} not scored`,
      `scores: ${scoresFile}`,
    ].join('\n'),
  );
  if (state !== 'done')
    throw run.error === null
      ? new AppError('CANCELLED', `The run is ${state}. ${reason}`)
      : fromWire(run.error);
  if (counts.failed > 0) {
    throw new AppError(
      'UNPROCESSABLE',
      `${counts.failed} of ${counts.items} items could not be scored; the file says why.`,
    );
  }
}
