/** Adds rows of files as items of datasets or results of experiments, as a kind of durable job. */
import { futureStart, NO_START } from '../core/jobs/start-plan.ts';
import type { StoredItems } from '../db/items-store.ts';
import { Jobs } from '../jobs/jobs.ts';
import { type JobSource, ownAction } from '../jobs/source.ts';
import { USUAL_STEPS } from '../jobs/types.ts';
import { usualControl } from '../jobs/usual-control.ts';
import { delimitedLine } from '../shared/delimited.ts';
import { checkEditedContent } from '../shared/edited-content.ts';
import { AppError } from '../shared/errors.ts';
import { type ItemsJob, type ItemsPlan, itemReading, itemsPlan } from '../shared/items-model.ts';
import { itemsAsJob } from '../shared/job-kinds/items.ts';
import { checkTold, type SentBefore } from '../shared/sent-before.ts';
import { EMPTY_LEDGER } from '../shared/value-ledger.ts';
import { checkColumns, checkFile } from './items-check.ts';
import { ItemsLedger } from './items-ledger.ts';
import { ItemsRunner } from './items-runner.ts';
import type { ItemJobs, ItemJobsDeps } from './types.ts';

interface ItemJobsRoom {
  items: ItemJobs;
  source: JobSource<'items'>;
  recover(continues: boolean): void;
  wake(): void;
  stop(graceMs: number): Promise<void>;
}

export function createItemJobs(deps: ItemJobsDeps): ItemJobsRoom {
  const { store, clock, random, readableFile } = deps;
  const { jobs: rows, parts } = store.items;
  const jobs = new Jobs<ItemsLedger>(deps, {
    what: 'addition of items',
    rows,
    load: (id) => new ItemsLedger(deps, rows.load(id)),
    run: (ledger) => new ItemsRunner(deps, ledger),
    ...USUAL_STEPS,
    interrupt: (ledger) => {
      // A job that was paused or cancelled may have had a request in flight, too.
      const isLeft = ledger.core.open.sending > 0;
      if (ledger.isIdle && !isLeft) return false;
      const work = () => parts.moveAll(ledger.id, 'sending', 'unknown');
      ledger.change(work, {}, ledger.isIdle ? [] : [{ type: 'interrupt' }]);
      return true;
    },
  });
  const changed = (id: string): ItemsJob => {
    jobs.starts.changed(id);
    return jobs.ledger(id).view();
  };
  const begin = (id: string) => {
    jobs.own(id);
    jobs.start(id, (ledger) => {
      if (ledger.isIdle) ledger.apply([{ type: ledger.core.state === 'ready' ? 'start' : 'resume' }]);
    });
  };
  const suspend = (id: string, event: Parameters<ItemsLedger['apply']>[0][number]) => {
    jobs.toHalt(id).apply([event]);
    jobs.runner(id)?.loop.wake();
  };
  const addedBefore = (of: Pick<ItemsPlan, 'datasetId' | 'experiment'>, sha256: string): SentBefore[] =>
    rows
      .list()
      .filter(
        (job) =>
          job.sha256 === sha256 &&
          (job.madeDatasetId ?? job.plan.datasetId) === of.datasetId &&
          job.plan.experiment?.id === of.experiment?.id,
      )
      .flatMap(({ id }) => asSentBefore(jobs.ledger(id).view()));
  const items: ItemJobs = {
    check: async (plan) => {
      const file = await readableFile(plan);
      const check = await checkFile(deps, plan, file, () => true);
      if (check === null) throw new AppError('CANCELLED', 'Stopped.');
      const sha256 = await deps.hashFile(file.path);
      checkEditedContent(plan, sha256, plan.fileName);
      return { ...check, sha256, addedBefore: addedBefore(plan, sha256) };
    },
    addedBefore: async (plan) => {
      const { path } = await readableFile(plan);
      return addedBefore(plan, await deps.hashFile(path));
    },
    checkValue: (plan, value) => deps.replacementProblem(itemReading(plan), value),
    checkRows: async (plan, places) =>
      deps.checkItemRows({ ...(await readableFile(plan)), reading: itemReading(plan), places }),
    newKeys: async ({ columns, ...file }) => {
      if (file.dialect.format === 'csv') return [];
      const { path, state } = await readableFile(file);
      const reading = { dialect: file.dialect, columns, flattens: false };
      return (await deps.settleItems({ path, state, reading })).newKeys;
    },
    ledgerOf: (id) => jobs.ledger(id).stored.valueLedger ?? EMPTY_LEDGER,
    create: async (given, startsNow, startAtMs, told = null) => {
      const plan = itemsPlan.parse(given);
      checkColumns(plan);
      if ((plan.datasetId === '') === (plan.newIn === undefined))
        throw new AppError('INVALID_ARGUMENT', 'Expected a dataset, or the application of a new one.');
      await deps.checkRead?.([
        plan.datasetId,
        ...(plan.experiment === undefined ? [] : [plan.experiment.id]),
      ]);
      const { path, state } = await readableFile(plan);
      const sha256 = await deps.hashFile(path);
      checkEditedContent(plan, sha256, plan.fileName);
      const id = random.uuid();
      const stored: StoredItems = {
        ...{
          id,
          plan,
          path,
          ...state,
          sha256,
          reason: '',
          error: null,
          ...NO_START,
          state: 'ready',
        },
        ...{ madeDatasetId: null, creatingSinceMs: null },
        ...{ rows: null, badRows: 0, isRead: false, createdAtMs: clock.nowMs(), endedAtMs: null },
        ...(startAtMs === null ? {} : { startAtMs: futureStart(startAtMs, clock.nowMs()) }),
      };
      try {
        // In one transaction, so that another process that adds the same content sees that it is being added.
        store.commit(() => {
          if (plan.datasetId !== '' && stored.sha256 !== null)
            checkTold(
              addedBefore(plan, stored.sha256),
              told,
              plan.experiment?.name ?? plan.datasetName,
              'added',
            );
          rows.create(stored);
          if (startsNow && startAtMs === null) begin(id);
        });
      } catch (problem) {
        jobs.forget(id, () => undefined);
        throw problem;
      }
      return changed(id);
    },
    list: (datasetId) => rows.list({ subject: datasetId }).map(({ id }) => jobs.ledger(id).view()),
    get: (id) => jobs.ledger(id).view(),
    control: (id, action, startAtMs) => {
      usualControl(jobs, { id, action, startAtMs }, { nowMs: clock.nowMs(), halt: suspend });
      return jobs.ledger(id).view();
    },
    decide: (id, part, decision) => {
      const to = { stored: 'acknowledged', resend: 'pending', 'give-up': 'given-up' } as const;
      const { state } = jobs.ledger(id).core;
      jobs.change(id, (ledger) => {
        const found = parts.get(id, part);
        if (found?.state !== 'unknown')
          throw new AppError('INVALID_ARGUMENT', 'Expected a request without an answer.');
        ledger.change(() => parts.save(id, { ...found, state: to[decision] }), {}, [{ type: 'settle' }]);
      });
      if (decision === 'resend' && state === 'needs-decision') begin(id);
      return changed(id);
    },
    listParts: (id, states, offset, limit) => ({
      parts: parts.list(id, states, offset, limit),
      total: parts.count(id, states),
    }),
    writeReceipts: async (id, path) => {
      const count = { rows: 0 };
      await deps.writeFile(path, receiptLines(deps, id, count));
      return count;
    },
    forget: (id) => {
      const ledger = jobs.idle(id);
      if (ledger.core.startAtMs !== null)
        throw new AppError('CONFLICT', 'It starts later. Cancel that first.');
      store.commit(() => {
        ledger.checkOwn();
        rows.forget(id);
      });
      deps.tidyUp();
    },
    whenIdle: async (id) => (await jobs.whenIdle(id)).view(),
  };
  return {
    items,
    source: itemsSource(items, jobs),
    recover: (continues) => jobs.recover(continues),
    wake: () => jobs.wake(),
    stop: (graceMs) => jobs.stop(graceMs),
  };
}

/** Empty if nothing was added and nothing will be. */
function asSentBefore(job: ItemsJob): SentBefore[] {
  const { itemsId, plan, state, counts, createdAtMs, startAtMs } = job;
  const { added: acknowledged, unknown } = counts;
  const isPlanned = state === 'ready' && startAtMs !== null;
  const isOpen = isPlanned || state === 'running' || state === 'waiting' || state === 'paused';
  if (acknowledged + unknown === 0 && !isOpen) return [];
  const rows = counts.rows ?? acknowledged + unknown;
  const { fileName } = plan;
  const planned = isPlanned ? { startAtMs } : {};
  const sent = { rows, acknowledged, unknown, deleted: 0 };
  return [{ jobId: itemsId, fileName, atMs: createdAtMs, ...sent, isOpen, ...planned }];
}

function* receiptLines(
  { store }: Pick<ItemJobsDeps, 'store'>,
  id: string,
  count: { rows: number },
): Generator<string> {
  yield delimitedLine(['row', 'item_id', 'request_id']);
  for (const { part, receipt } of store.items.parts.acknowledged(id)) {
    for (const [index, row] of (receipt?.rows ?? []).entries()) {
      count.rows += 1;
      yield delimitedLine([String(row), receipt?.ids[index] ?? '', part.requestId ?? '']);
    }
  }
}

const ACTIONS = {
  start: 'start',
  pause: 'pause',
  resume: 'resume',
  cancel: 'cancel',
  schedule: 'schedule',
  unschedule: 'unschedule',
} as const;

export function itemsSource(items: ItemJobs, jobs: JobSource<'items'>['jobs']): JobSource<'items'> {
  return {
    kind: 'items',
    jobs,
    get: (id) => itemsAsJob(items.get(id)),
    plan: ({ plan }) => items.check(plan),
    create: async ({ items: plan, startsNow, told }, startAtMs) =>
      itemsAsJob(await items.create(plan, startsNow, startAtMs, told)),
    control: (id, action, startAtMs) => itemsAsJob(items.control(id, ownAction(ACTIONS, action), startAtMs)),
    decide: async (id, part, decision) => itemsAsJob(items.decide(id, part, decision)),
    parts: (id, { states, offset, limit }) => items.listParts(id, states, offset, limit),
    whenRest: (id) => items.whenIdle(id),
    forget: (id) => items.forget(id),
    fileName: () => 'receipts.csv',
    writeFile: (id, _what, path) => items.writeReceipts(id, path),
  };
}
