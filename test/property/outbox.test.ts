/** Changes that wait to be sent: in any schedule, none is lost, sent twice, or overwrites an unseen value. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallInput } from '../../electron/api/types.ts';
import { judge, type OutboxTarget } from '../../electron/core/jobs/outbox.ts';
import type { JsonObject } from '../../electron/shared/json-body.ts';
import {
  compareFields,
  isOutboxOver,
  isSameValue,
  type OutboxEntry,
} from '../../electron/shared/outbox-model.ts';
import { FATES, type Fate, ModelService, OutboxWorld, uuid } from '../helpers/outbox-model.ts';
import { runs } from '../helpers/runs.ts';

const RULES = [uuid(1), uuid(2)] as const;

type Put = 'edit' | 'edit the name' | 'delete' | 'new project' | 'new application';
/** The same for several records at once. */
type PutAll = 'edit' | 'delete';
type Event =
  | { type: 'put'; put: Put; rule: 0 | 1; value: number }
  | { type: 'put for each'; put: PutAll; value: number }
  | { type: 'others edit' | 'others delete' | 'others make'; rule: 0 | 1; value: number }
  | { type: 'send' | 'discard' | 'restore'; at: number }
  | { type: 'send all' | 'kill' | 'away' | 'back' | 'time' };

const rule = fc.constantFrom<0 | 1>(0, 1);
const value = fc.integer({ min: 1, max: 4 });
const at = fc.integer({ min: 0, max: 4 });
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('put' as const),
      put: fc.constantFrom<Put>('edit', 'edit the name', 'delete', 'new project', 'new application'),
      rule,
      value,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('put for each' as const),
      put: fc.constantFrom<PutAll>('edit', 'delete'),
      value,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('others edit' as const, 'others delete' as const, 'others make' as const),
      rule,
      value,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('send' as const, 'discard' as const, 'restore' as const),
      at,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'send all' as const,
        'send all' as const,
        'kill' as const,
        'away' as const,
        'back' as const,
        'time' as const,
      ),
    }),
  },
);
const decisions = fc.array(
  fc.constantFrom('mine' as const, 'mine' as const, 'theirs' as const, 'merged' as const),
  {
    minLength: 8,
    maxLength: 8,
  },
);

/** The user, the state of each change that the user has seen, and the forbidden effects. */
class Schedule {
  readonly service: ModelService;
  readonly world: OutboxWorld;
  /** For each entry: the record as the user saw it last. */
  readonly seen = new Map<string, JsonObject>();
  readonly effects = new Map<string, number>();
  readonly faults: string[] = [];
  readonly #decisions: string[];
  #lastProject: string | null = null;

  constructor(fates: readonly Fate[], decided: readonly string[]) {
    this.#decisions = [...decided];
    this.service = new ModelService(fates);
    for (const [index, id] of RULES.entries())
      this.service.rules.set(id, { id, name: `Rule ${index}`, priority: 'LOW', critical_threshold: 0 });
    this.service.onEffect = (entryId, operation, input) => this.#watch(entryId, operation, input);
    this.world = new OutboxWorld(this.service);
  }

  /** Checks that the user has seen the value that would be overwritten. */
  #watch(entryId: string, operation: string, { path, body }: CallInput): void {
    this.effects.set(entryId, (this.effects.get(entryId) ?? 0) + 1);
    const isNew = operation.endsWith('.create');
    if (isNew && (this.effects.get(entryId) ?? 0) > 1) this.faults.push(`${operation} made twice`);
    const current = this.service.rules.get(path?.['alert_id'] ?? '');
    if (isNew || current === undefined) return;
    const seen = this.seen.get(entryId) ?? {};
    const fields = operation.endsWith('.delete') ? Object.keys(current) : Object.keys(body as JsonObject);
    for (const field of fields) {
      const isTheirs = !isSameValue(current[field], seen[field]);
      const isWanted =
        !operation.endsWith('.delete') && isSameValue(current[field], (body as JsonObject)[field]);
      if (isTheirs && !isWanted)
        this.faults.push(`${operation} over ${field} ${String(current[field])} unseen`);
    }
  }

  put({ put, rule: which, value: number }: Extract<Event, { type: 'put' }>): void {
    const id = RULES[which];
    const { outbox } = this.world;
    const add = (
      operation: string,
      path: Record<string, string>,
      body: JsonObject | null,
      base: JsonObject | null,
    ) => outbox.put({ request: { operation, path, query: {}, body }, base }, null);
    if (put === 'new project') {
      this.#lastProject = add('projects.create', {}, { name: `P${number}` }, null).entryId;
      return;
    }
    if (put === 'new application') {
      const project = this.#lastProject;
      if (project !== null) add('applications.create', {}, { name: `A${number}`, project_id: project }, null);
      return;
    }
    const base = this.service.rules.get(id);
    if (base === undefined) return;
    const body: JsonObject | null =
      put === 'delete' ? null : put === 'edit' ? { critical_threshold: number } : { name: `Rule ${number}` };
    const operation = put === 'delete' ? 'alert-rules.delete' : 'alert-rules.update';
    const entry = add(operation, { alert_id: id }, body, base);
    this.seen.set(entry.entryId, entry.base ?? {});
  }

  async happen(each: Event): Promise<void> {
    const { service, world } = this;
    switch (each.type) {
      case 'put':
        return this.put(each);
      case 'put for each':
        for (const which of [0, 1] as const) this.put({ ...each, type: 'put', rule: which });
        return;
      case 'others edit': {
        const record = service.rules.get(RULES[each.rule]);
        if (record !== undefined)
          service.rules.set(RULES[each.rule], { ...record, critical_threshold: 10 + each.value });
        return;
      }
      case 'others delete':
        service.rules.delete(RULES[each.rule]);
        return;
      case 'others make':
        service.make(service.projects, { name: `P${each.value}`, by: 'others' });
        return;
      case 'send':
      case 'restore':
      case 'discard': {
        const entry = world.outbox.list()[each.at];
        if (entry === undefined) return;
        try {
          if (each.type === 'send') world.outbox.send(entry.entryId);
          else if (each.type === 'restore') world.outbox.restore(entry.entryId);
          else world.outbox.discard(entry.entryId);
        } catch {
          // The action is impossible in this state. Other tests check the message.
        }
        return world.pass(1);
      }
      case 'send all':
        world.outbox.sendAll();
        return world.pass(1);
      case 'kill':
        return world.kill();
      case 'away':
        service.isAway = true;
        return;
      case 'back':
        service.isAway = false;
        world.outbox.wake();
        return world.pass(1);
      case 'time':
        return world.pass();
    }
  }

  /** The user reviews waiting changes, decides, and sends, until nothing is left. */
  async finish(): Promise<void> {
    const { service, world } = this;
    service.isAway = false;
    service.fates.length = 0;
    for (let turn = 0; turn < 60; turn += 1) {
      await world.pass();
      const left = world.outbox.list().filter(({ state }) => !isOutboxOver(state));
      if (left.length === 0) return;
      for (const entry of left) {
        this.#tend(world.outbox.get(entry.entryId));
        await world.pass(1);
      }
    }
    this.faults.push('something never ended');
  }

  #tend(entry: OutboxEntry): void {
    const { outbox } = this.world;
    const { entryId, question, theirs, state, request } = entry;
    if (state === 'failed') return void outbox.discard(entryId);
    if (state === 'ready' || state === 'paused') return void outbox.send(entryId);
    if (question === null) return;
    if (theirs !== null) this.seen.set(entryId, theirs);
    const wish = this.#decisions.shift() ?? 'theirs';
    const isNeedLost = question === 'need-gone' || question === 'need-unknown';
    if (isNeedLost || (question === 'gone' && wish !== 'mine')) outbox.discard(entryId);
    else if (question === 'no-answer') {
      // The user checks whether the record exists.
      outbox.decide(entryId, (this.effects.get(entryId) ?? 0) > 0 ? 'stored' : 'resend');
    } else if (wish === 'theirs') outbox.decide(entryId, 'give-up');
    else if (wish === 'merged' && request.body !== null && entry.change === 'update') {
      outbox.edit(entryId, { ...request.body, priority: 'HIGH' });
    } else outbox.decide(entryId, 'resend');
  }
}

test('nothing is lost, repeated, or overwritten unseen, over 1,000 schedules of kills and conflicts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 3, maxLength: 14 }),
      fc.array(fc.constantFrom<Fate>(...FATES), { maxLength: 8 }),
      decisions,
      fc.boolean(),
      async (events, fates, decided, sendsWhenBack) => {
        const schedule = new Schedule(fates, decided);
        using world = schedule.world;
        world.sendsWhenBack = sendsWhenBack;
        for (const each of events) await schedule.happen(each);
        const put = world.store.outbox.heads().length;
        await schedule.finish();
        const all = world.outbox.list();
        expect(schedule.faults).toEqual([]);
        expect(all).toHaveLength(put);
        for (const { state, result, entryId, change } of all) {
          expect(['done', 'cancelled']).toContain(state);
          const times = schedule.effects.get(entryId) ?? 0;
          if (state === 'done' && (result?.how === 'sent' || result?.how === 'said'))
            expect(times).toBeGreaterThan(0);
          if (change === 'create') expect(times).toBeLessThan(2);
        }
      },
    ),
    { numRuns: runs(100) },
  );
});

test('once the service is back, waiting changes are sent automatically if the setting says so; a conflict and a planned one wait', async () => {
  const schedule = new Schedule([], []);
  using world = schedule.world;
  const { outbox, service } = world;
  await schedule.happen({ type: 'away' });
  schedule.put({ type: 'put', put: 'edit', rule: 0, value: 1 });
  schedule.put({ type: 'put', put: 'delete', rule: 1, value: 1 });
  schedule.put({ type: 'put', put: 'new project', rule: 0, value: 1 });
  const planned = outbox.list()[2]?.entryId ?? '';
  outbox.schedule(planned, world.clock.nowMs() + 86_400_000);
  await schedule.happen({ type: 'others edit', rule: 1, value: 1 });
  await schedule.happen({ type: 'back' });
  expect(outbox.list().map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
  world.sendsWhenBack = true;
  await schedule.happen({ type: 'back' });
  expect(outbox.list().map(({ state }) => state)).toEqual(['done', 'needs-decision', 'ready']);
  expect(service.rules.get(RULES[0])).toMatchObject({ critical_threshold: 1 });
  await schedule.finish();
  expect(schedule.faults).toEqual([]);
});

test('a change of a record whose creation lost its answer asks for its ID, and is not sent repeatedly', async () => {
  const schedule = new Schedule(['lands late'], []);
  using world = schedule.world;
  const put = { type: 'put', rule: 0, value: 1 } as const;
  await schedule.happen({ ...put, put: 'new project' });
  await schedule.happen({ ...put, put: 'new application' });
  await schedule.happen({ type: 'send', at: 0 });
  await world.pass();
  const [project, application] = world.outbox.list();
  world.outbox.decide(project?.entryId ?? '', 'stored');
  world.outbox.send(application?.entryId ?? '');
  await world.pass(1);
  expect(world.outbox.list()[1]).toMatchObject({ state: 'needs-decision', question: 'need-unknown' });
  await schedule.finish();
  expect(schedule.faults).toEqual([]);
});

const field = fc.constantFrom('name', 'priority', 'threshold');
const record = fc.dictionary(field, fc.integer({ min: 0, max: 2 }), { maxKeys: 3 });

test('a change sent over a record touches only fields that are as the user saw them', () => {
  fc.assert(
    fc.property(record, fc.option(record), record, fc.boolean(), (body, base, theirs, wasSent) => {
      const target: OutboxTarget = { kind: 'record', record: theirs };
      const judged = { base, body, target, wasSent, isRepeatSafe: true, known: [] };
      const verdict = judge({ change: 'update', ...judged });
      const conflicts = compareFields(base, body, theirs).filter(({ isConflict }) => isConflict);
      if (verdict.kind === 'send') {
        for (const [name, mine] of Object.entries(body)) {
          const was = base?.[name];
          expect([was, mine, undefined]).toContainEqual(theirs[name]);
        }
      }
      // The user is asked about the fields that the comparison shows.
      if (verdict.kind === 'ask' && verdict.reason === 'changed') expect(conflicts).not.toEqual([]);
      if (verdict.kind === 'done')
        expect(Object.entries(body).every(([name, mine]) => theirs[name] === mine)).toBe(true);
    }),
  );
});

test('a deletion is sent only for a record that is as the user saw it', () => {
  fc.assert(
    fc.property(fc.option(record), record, fc.boolean(), (base, theirs, wasSent) => {
      const target: OutboxTarget = { kind: 'record', record: theirs };
      const judged = { base, body: null, target, wasSent, isRepeatSafe: true, known: [] };
      const { kind } = judge({ change: 'delete', ...judged });
      const isSeen = base !== null && Object.keys(base).every((name) => base[name] === theirs[name]);
      expect(kind).toBe(isSeen ? 'send' : 'ask');
    }),
  );
});

test('an unanswered creation is never repeated automatically', () => {
  fc.assert(
    fc.property(fc.array(record), (records) => {
      const target: OutboxTarget = {
        kind: 'list',
        records: records.map((each, index) => ({ ...each, id: `${index}` })),
      };
      const judged = { base: null, body: { name: 1 }, target, isRepeatSafe: false, known: [] };
      expect(judge({ change: 'create', ...judged, wasSent: true }).kind).not.toBe('send');
    }),
  );
});
