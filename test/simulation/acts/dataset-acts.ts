import type { Session } from '../../../electron/engine/session.ts';
import type { DatasetBuild } from '../../../electron/shared/dataset-model.ts';
import type { Draw } from '../draw.ts';
import type { Act, Stage } from '../stage.ts';
import { someDataset, storedRows } from './list-acts.ts';

const MAPPING = [
  { bucket: 'inputs' as const, field: 'intent', key: 'user.intent' },
  { bucket: 'inputs' as const, field: 'question', key: 'system.gen_ai.llm.input.user' },
];
const SPAN_RANGE = { start_time: '2020-01-01T00:00:00Z', end_time: '2040-01-01T00:00:00Z' };

async function someBuild(
  stage: Stage,
  draw: Draw,
  states: readonly DatasetBuild['state'][],
): Promise<{ session: Session; build: DatasetBuild } | null> {
  const opened = await stage.session(draw);
  if (opened === null) return null;
  const builds = opened.session.datasets.builds.list().filter(({ state }) => states.includes(state));
  return builds.length === 0 ? null : { session: opened.session, build: draw.of(builds) };
}

async function control(
  stage: Stage,
  draw: Draw,
  action: 'pause' | 'resume' | 'cancel' | 'gather-evidence' | 'verify',
  states: readonly DatasetBuild['state'][],
): Promise<string> {
  const found = await someBuild(stage, draw, states);
  if (found === null) return `has no build to ${action}`;
  await found.session.datasets.builds.control(found.build.buildId, action);
  return `${action} of ${found.build.buildId}`;
}

export const DATASET_ACTS = {
  'build a dataset': {
    weight: 9,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      const { session, origin } = opened;
      const [application] = await storedRows(session, {
        operation: 'applications.list',
        path: {},
        query: {},
      });
      if (application === undefined) return 'sees no application';
      const applicationId = String(application['id']);
      const asked = {
        operation: 'spans.query',
        path: {},
        query: {},
        body: { application_id: applicationId, ...SPAN_RANGE },
      };
      const window = { offset: draw.whole(0, 200), limit: draw.of([3, 50, 200]), sort: null, narrow: null };
      const { rows } = await session.library.readRows({ query: asked, window });
      if (rows.length === 0) {
        await session.library.openList({ viewId: 'spans', query: asked, refresh: 'always' });
        return 'reads spans first';
      }
      const { builds } = session.datasets;
      const name = stage.newName('Built');
      const { buildId } = builds.create({
        applicationId,
        applicationName: String(application['name']),
        name,
      });
      const spans = rows.map(({ position, record }) => ({
        ...{ position, trace_id: String(record['trace_id']), span_id: String(record['span_id']) },
      }));
      await builds.pickRows(buildId, asked, spans);
      stage.builds.set(name, { buildId, origin, mayRepeat: false });
      const target = { kind: 'new' as const, name, description: null, metadata: null };
      await builds.change(buildId, { target, mapping: MAPPING });
      await builds.control(buildId, 'commit');
      return `builds ${name} of ${spans.length} spans as ${buildId}`;
    },
  },
  'pause a build': {
    weight: 2,
    do: (stage, draw) => control(stage, draw, 'pause', ['committing', 'waiting']),
  },
  'resume a build': { weight: 3, do: (stage, draw) => control(stage, draw, 'resume', ['paused', 'stopped']) },
  'cancel a build': {
    weight: 1,
    do: (stage, draw) =>
      control(stage, draw, 'cancel', ['committing', 'paused', 'waiting', 'needs-decision']),
  },
  'gather evidence for a build': {
    weight: 2,
    do: (stage, draw) => control(stage, draw, 'gather-evidence', ['needs-decision', 'paused']),
  },
  'verify a build': { weight: 1, do: (stage, draw) => control(stage, draw, 'verify', ['done']) },
  'decide a call': {
    weight: 2,
    do: async (stage, draw) => {
      const found = await someBuild(stage, draw, ['needs-decision', 'paused', 'stopped']);
      if (found === null) return 'has no call to decide';
      const { builds } = found.session.datasets;
      const { buildId } = found.build;
      const { batches } = builds.listBatches(buildId, 0, 50, ['unknown']);
      if (batches.length === 0) return 'has no call to decide';
      const { batch } = draw.of(batches);
      const decision = draw.of(['stored', 'resend', 'give-up'] as const);
      for (const each of stage.builds.values())
        if (each.buildId === buildId && decision === 'resend') each.mayRepeat = true;
      await builds.decideBatch(buildId, batch, decision);
      return `decided ${decision} for call ${batch} of ${buildId}`;
    },
  },
  'create a dataset': {
    weight: 4,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      const [application] = await storedRows(opened.session, {
        operation: 'applications.list',
        path: {},
        query: {},
      });
      if (application === undefined) return 'sees no application';
      const name = stage.newName('Made');
      const body = { name, application_id: String(application['id']) };
      const request = { operation: 'datasets.create', path: {}, query: {}, body };
      if (draw.chance(0.5)) await opened.session.resources.act(request);
      else opened.session.outbox.put({ request, base: null }, null);
      return `creates ${name}`;
    },
  },
  'change a dataset': {
    weight: 4,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const dataset = opened === null ? null : await someDataset(opened.session, draw);
      if (opened === null || dataset === null) return 'sees no dataset';
      const body = { description: stage.newName('Described') };
      const request = { operation: 'datasets.update', path: { dataset_id: dataset.id }, query: {}, body };
      if (draw.chance(0.5)) await opened.session.resources.act(request);
      else opened.session.outbox.put({ request, base: null }, null);
      return `changes ${dataset.name}`;
    },
  },
  'delete a dataset': {
    weight: 2,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const dataset = opened === null ? null : await someDataset(opened.session, draw);
      if (opened === null || dataset === null) return 'sees no dataset';
      stage.deletions.add(dataset.id);
      const request = {
        operation: 'datasets.delete',
        path: { dataset_id: dataset.id },
        query: {},
        body: null,
      };
      if (draw.chance(0.5)) await opened.session.resources.act(request);
      else opened.session.outbox.put({ request, base: null }, null);
      return `deletes ${dataset.name}`;
    },
  },
  'delete several datasets': {
    weight: 2,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      const seen = await storedRows(opened.session, { operation: 'datasets.list', path: {}, query: {} });
      const made = seen.filter(({ name }) => /^(Made|Built) /.test(String(name))).slice(0, 6);
      if (made.length === 0) return 'sees no dataset of their own';
      const records = made.map(({ id, name }) => ({ id: String(id), name: String(name) }));
      for (const { id } of records) stage.deletions.add(id);
      const { bulkId } = await opened.session.bulk.create({
        request: {
          operation: 'datasets.delete',
          path: {},
          query: {},
          body: null,
          ids: { place: 'path', name: 'dataset_id' },
        },
        words: {
          title: `Delete ${records.length} datasets`,
          noun: 'dataset',
          nouns: 'datasets',
          going: 'Deleting',
          done: 'deleted',
        },
        records,
        startAtMs: null,
      });
      return `deletes ${records.length} datasets as ${bulkId}`;
    },
  },
  'go on with a bulk act': {
    weight: 2,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const acts = opened === null ? [] : await opened.session.bulk.list();
      const act = acts.length === 0 ? null : draw.of(acts);
      if (opened === null || act === null) return 'has no bulk act';
      const action =
        act.state === 'running' ? draw.of(['pause', 'stop'] as const) : draw.of(['resume', 'retry'] as const);
      opened.session.bulk.control(act.bulkId, action, null);
      return `${action} of ${act.bulkId}`;
    },
  },
  'send the outbox': {
    weight: 5,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      return `sends ${opened.session.outbox.sendAll()} changes`;
    },
  },
  'decide a change': {
    weight: 3,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const waiting = opened?.session.outbox.list().filter(({ state }) => state === 'needs-decision') ?? [];
      if (opened === null || waiting.length === 0) return 'has no change to decide';
      const entry = draw.of(waiting);
      if (draw.chance(0.5)) opened.session.outbox.discard(entry.entryId);
      else
        opened.session.outbox.decide(
          entry.entryId,
          draw.of(['mine', 'theirs', 'stored', 'resend', 'send'] as never[]),
        );
      return `decided ${entry.title}`;
    },
  },
  keep: {
    weight: 2,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const dataset = opened === null ? null : await someDataset(opened.session, draw);
      if (opened === null || dataset === null) return 'sees no dataset';
      const plan = {
        kind: 'dataset' as const,
        ...dataset,
        range: null,
        withValues: false,
        entities: null,
        body: null,
      };
      opened.session.keep.start(plan, draw.of([null, 1, 24]));
      return `keeps ${dataset.name}`;
    },
  },
  'drop what is kept': {
    weight: 1,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const kept = opened?.session.keep.list() ?? [];
      if (opened === null || kept.length === 0) return 'keeps nothing';
      const { keptId } = draw.of(kept);
      if (draw.chance(0.5)) opened.session.keep.drop(keptId);
      else opened.session.keep.softDelete(keptId);
      return `dropped ${keptId}`;
    },
  },
} as const satisfies Record<string, Act>;
