/** `builds`: lists builds, and acts on one. */
import type { Session } from '../engine/session.ts';
import type { DatasetBuild } from '../shared/dataset-model.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import { answerBuild, BUILDS, buildResult, writeReceipts } from './build-answers.ts';
import { addFile, askService } from './builds-add.ts';
import { byIdOrOnly, chosenAction } from './choose.ts';
import { checkForgetting } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { noteDamaged } from './damaged-notes.ts';
import { follow } from './follow.ts';
import { counted, readable } from './human-text.ts';
import { checkKeys, SKIP_KEYS } from './mapping-keys.ts';
import { tableOr } from './output.ts';
import { READ_FLAGS } from './read-flags.ts';
import { SPAN_VALUE_FLAGS } from './value-flags.ts';

const GOES_ON = ['output', 'verify'];
const ACTIONS = {
  add: ['application', ...READ_FLAGS, ...SPAN_VALUE_FLAGS],
  ask: [],
  resume: [...GOES_ON, 'add-again', SKIP_KEYS],
  skip: GOES_ON,
  retry: GOES_ON,
  widen: GOES_ON,
  decide: GOES_ON,
  cancel: [],
  receipts: ['output'],
  verify: [],
  rename: [],
  copy: [],
  forget: ['yes'],
};
type Action = keyof typeof ACTIONS;
const isOver = (state: DatasetBuild['state']): boolean => state === 'done' || state === 'cancelled';

/** Runs `builds`, or one of its actions such as `builds resume ID`. */
export async function builds(context: CommandContext): Promise<void> {
  const [, given, name] = context.args.positionals;
  const action = chosenAction(context, ACTIONS);
  checkName(action, name);
  const session = await context.session();
  const all = session.datasets.builds.list();
  if (action === undefined) {
    noteDamaged(context, session, 'build');
    const rows = all.map((build) => ({ ...buildResult(build, null), id: build.buildId, name: build.name }));
    context.output.answer({ items: rows, total: rows.length, complete: true, asOf: null }, () =>
      tableOr(
        'No dataset was made from spans on this connection. Make one with: from-spans',
        rows.map(readable),
        ['id', 'name', 'dataset', 'state', 'spans', 'written', 'unresolved', 'unknown', 'unsent'],
      ),
    );
    return;
  }
  if (action === 'add') return addFile(context, session, given ?? '', name ?? '');
  const isOfAll = action === 'receipts' || action === 'verify' || action === 'forget';
  const fits = isOfAll ? all : all.filter(({ state }) => !isOver(state));
  const choice = { all, idOf: ({ buildId }: DatasetBuild) => buildId, what: 'build', fits };
  const build = byIdOrOnly(context, [action, given], choice);
  if (action === 'ask') await askService(context, session, build.buildId);
  else if (name === undefined) await act(context, session, action, build);
  else if (action === 'rename') await rename(context, session, build, name);
  else await copyInto(context, session, build, name);
}

const NAMED = {
  add: 'a draft by ID or NAME, and FILE',
  rename: 'ID and the new NAME',
  copy: 'ID and the ID of a draft, or the NAME of a new one',
};

/** Checks that a name is given exactly if the action needs it. Throws INVALID_ARGUMENT. */
function checkName(action: Action | undefined, name: string | undefined): void {
  const isNamed = action === 'rename' || action === 'copy' || action === 'add';
  if (isNamed === (name !== undefined)) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    isNamed
      ? `builds ${action} expects ${NAMED[action]}.`
      : `builds ${action} expects an ID alone, got also ${name}.`,
  );
}

async function rename(
  { output }: CommandContext,
  session: Session,
  { buildId, name: before }: DatasetBuild,
  typed: string,
): Promise<void> {
  const { name } = await session.datasets.builds.change(buildId, { name: typed });
  output.answer({ buildId, name }, () => [`Renamed: ${before} is now ${name}.`]);
}

/** `typed`: the id of another selection, or the name of a new one. */
async function copyInto(
  { output }: CommandContext,
  session: Session,
  { buildId, name, applicationId, applicationName }: DatasetBuild,
  typed: string,
): Promise<void> {
  const { builds: own } = session.datasets;
  const found = own.list().find((other) => other.buildId === typed || other.name === typed);
  const to = found ?? own.create({ applicationId, applicationName, name: typed });
  own.pickAll(to.buildId, { kind: 'basket', buildId, name });
  const { counts, fill } = await own.whenIdle(to.buildId);
  if (fill?.error) throw fromWire(fill.error);
  const added = fill?.added ?? 0;
  output.answer({ buildId: to.buildId, name: to.name, added, spans: counts.picked }, () => [
    `Copied ${counted(added, 'span')} of ${name} to ${to.name}, which has ${counted(counts.picked, 'span')} now.`,
  ]);
}

async function act(
  context: CommandContext,
  session: Session,
  action: Action,
  build: DatasetBuild,
): Promise<void> {
  const { builds: own } = session.datasets;
  const { buildId } = build;
  await session.jobs.whenJudged('build', buildId);
  switch (action) {
    case 'resume':
      if (context.args.flag('add-again')) await own.change(buildId, { skipsAdded: false });
      if (build.state === 'editing') await checkKeys(context, session, buildId);
      await own.control(buildId, build.state === 'editing' ? 'commit' : 'resume');
      return follow(context, session, BUILDS, buildId);
    case 'skip':
    case 'retry':
    case 'widen':
      await own.settleUnresolved(buildId, action === 'skip' ? 'exclude' : action, null);
      return follow(context, session, BUILDS, buildId);
    case 'cancel': {
      const { state, counts } = await own.control(buildId, 'cancel');
      return context.output.answer({ buildId, state, written: counts.acknowledged }, () => [
        `Cancelled: ${build.name}. In the dataset: ${counted(counts.acknowledged, 'item')}. The rest is not sent.`,
      ]);
    }
    case 'decide':
      return decide(context, session, buildId);
    case 'verify':
      return answerBuild(context, session, await own.control(buildId, 'verify'), null);
    case 'receipts': {
      const path = await writeReceipts(context, session, build);
      return context.output.answer(
        { buildId, rows: build.counts.acknowledged, receiptsFile: path },
        () => `${counted(build.counts.acknowledged, 'item')}: ${path ?? 'no receipts yet'}`,
      );
    }
    case 'add':
    case 'ask':
    case 'rename':
    case 'copy':
      throw new AppError('INTERNAL', `builds ${action} is done elsewhere.`);
    case 'forget':
      checkForgetting(context, `the build ${build.name} with its receipts; its items stay in the dataset`);
      own.forget(buildId);
      return context.output.answer({ buildId }, () => [
        `Forgotten: ${build.name}. Its items stay in the dataset.`,
      ]);
  }
}

/** Checks the evidence, then resends spans that the service definitely does not have; undecided ones are reported. */
async function decide(context: CommandContext, session: Session, buildId: string): Promise<void> {
  const { builds: own } = session.datasets;
  await own.control(buildId, 'gather-evidence');
  const { total } = own.listBatches(buildId, 0, 1);
  for (let offset = 0; offset < total; offset += 200) {
    for (const { batch, state, evidence } of own.listBatches(buildId, offset, 200).batches) {
      if (state !== 'unknown') continue;
      for (const fact of evidence?.facts ?? []) context.output.note(`request ${batch + 1}: ${fact}`);
      if (evidence?.verdict === 'not-stored') await own.decideBatch(buildId, batch, 'resend');
      else context.output.note(`request ${batch + 1}: undecided, left as it is`);
    }
  }
  const now = await own.whenIdle(buildId);
  if (now.counts.unsent > 0 && !isOver(now.state)) await own.control(buildId, 'resume');
  await follow(context, session, BUILDS, buildId);
}
