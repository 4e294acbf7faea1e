import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../../../electron/engine/session.ts';
import type { ItemsJob, ItemsPlan } from '../../../electron/shared/items-model.ts';
import type { Draw } from '../draw.ts';
import type { Act, Stage } from '../stage.ts';
import { someDataset } from './list-acts.ts';

const DIALECT: ItemsPlan['dialect'] = {
  ...{ format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
  sheet: null,
};
/** Matches the text of an item that was created from a row with this marker. */
export const MARKED_ITEM = /row (\d+) of a simulation/;

interface FoundAddition {
  session: Session;
  job: ItemsJob;
}

async function someAddition(
  stage: Stage,
  draw: Draw,
  states: readonly ItemsJob['state'][],
): Promise<FoundAddition | null> {
  const opened = await stage.session(draw);
  const jobs = opened?.session.datasets.items.list(null).filter(({ state }) => states.includes(state)) ?? [];
  return opened === null || jobs.length === 0 ? null : { session: opened.session, job: draw.of(jobs) };
}

async function addItems(stage: Stage, draw: Draw): Promise<string> {
  const opened = await stage.session(draw);
  const dataset = opened === null ? null : await someDataset(opened.session, draw);
  if (opened === null || dataset === null) return 'sees no dataset';
  const rows = draw.of([1, 12, 60, 200]);
  const firstMarker = stage.takeMarkers(rows);
  const path = join(stage.computer.documents, `items-${firstMarker}.csv`);
  const lines = Array.from({ length: rows }, (_, row) => `row ${firstMarker + row} of a simulation`);
  stage.outside(() => writeFileSync(path, `${['question', ...lines].join('\n')}\n`));
  const files = stage.run.engine.files.ownedBy(opened.connection.id);
  const [offered] = await files.offer([path]);
  if (offered === undefined) throw new Error('Nothing was offered.');
  const addition = {
    itemsId: '',
    datasetId: dataset.id,
    firstMarker,
    rows,
    mayRepeat: false,
    mayMiss: false,
  };
  stage.additions.push(addition);
  const { itemsId } = await opened.session.datasets.items.create(
    {
      ...{ datasetId: dataset.id, datasetName: dataset.name, fileId: offered.fileId },
      ...{ fileName: `items-${firstMarker}.csv`, dialect: DIALECT, flattens: false, onBadRow: 'stop' },
      columns: [{ source: 'question', place: 'inputs', field: 'question', type: 'str' }],
      itemsPerRequest: draw.of([5, 20]),
    },
    true,
    null,
  );
  addition.itemsId = itemsId;
  return `adds ${rows} items to ${dataset.name} as ${itemsId}`;
}

export const ITEM_ACTS = {
  'add items': { weight: 4, do: addItems },
  'control an addition': {
    weight: 3,
    do: async (stage, draw) => {
      const found = await someAddition(stage, draw, ['ready', 'running', 'waiting', 'paused']);
      if (found === null) return 'adds no items';
      const { session, job } = found;
      const isIdle = job.state === 'paused' || job.state === 'ready';
      const action = isIdle ? draw.of(['resume', 'resume', 'cancel'] as const) : 'pause';
      session.datasets.items.control(job.itemsId, action, null);
      return `${action} of ${job.itemsId}`;
    },
  },
  'decide about items': {
    weight: 2,
    do: async (stage, draw) => {
      const found = await someAddition(stage, draw, ['running', 'paused', 'needs-decision']);
      if (found === null) return 'has no items to decide about';
      const { items } = found.session.datasets;
      const { parts } = items.listParts(found.job.itemsId, ['unknown'], 0, 50);
      if (parts.length === 0) return 'has no items to decide about';
      const { part } = draw.of(parts);
      const decision = draw.of(['stored', 'resend', 'give-up'] as const);
      for (const addition of stage.additions) {
        if (addition.itemsId !== found.job.itemsId) continue;
        if (decision === 'resend') addition.mayRepeat = true;
        else addition.mayMiss = true;
      }
      items.decide(found.job.itemsId, part, decision);
      return `decided ${decision} for part ${part} of ${found.job.itemsId}`;
    },
  },
} as const satisfies Record<string, Act>;
