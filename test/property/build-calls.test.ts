/**
 * Splits a build into calls, by the code that sends it: whatever the service rejects, each span is in exactly one
 * receipt.
 */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { ServiceClient } from '../../electron/api/types.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { DatasetRig } from '../helpers/dataset-rig.ts';

const HOUR_MS = 3_600_000;
/**
 * Ids long enough that every call that the service rejects is larger than 4 KB: below that, no size limit is assumed.
 */
const LONG = 'x'.repeat(110);
const FIRST_MS = Date.UTC(2031, 0, 1);
/** Difference between the time of a span known here and the time at the service; null if the service lacks it. */
const OFFSETS_MS = [0, HOUR_MS / 2, -20 * HOUR_MS, 100 * HOUR_MS, -3_000 * HOUR_MS, null] as const;

interface Body {
  start_time: string;
  end_time: string;
  spans: { trace_id: string; span_id: string }[];
}
interface Answer {
  value: unknown;
  requestId: string;
  status: number;
  receivedAtMs: number;
  sizeBytes: number;
}

/** A service that accepts at most this number of spans per call, and names the spans outside its range in a 422. */
class OwnService {
  startOf = new Map<string, number | null>();
  most = 200;
  /** Spans by the call that wrote them. Spans written as items are separate. */
  written: string[][] = [];
  items: string[] = [];
  #count = 0;

  answer(operation: string, input: { body?: unknown; bodyText?: string }): Answer {
    this.#count += 1;
    const facts = { requestId: `r${this.#count}`, status: 201, receivedAtMs: 0, sizeBytes: 0 };
    if (operation === 'datasets.add-spans') return { value: this.#addSpans(input.body as Body), ...facts };
    if (operation === 'datasets.add-items') {
      const { items } = JSON.parse(input.bodyText ?? '') as { items: { id: string; source_id: string }[] };
      this.items.push(...items.map(({ source_id }) => source_id));
      return { value: items.map(({ id }) => id), ...facts };
    }
    throw new AppError('FORBIDDEN', 'Items are not to be counted.', { status: 403, outcome: 'answered' });
  }

  #addSpans({ spans, start_time, end_time }: Body): unknown {
    const ids = spans.map(({ span_id }) => span_id);
    expect(new Set(ids).size).toBe(ids.length);
    if (ids.length > this.most)
      throw new AppError('HTTP_ERROR', 'Too many.', { status: 413, outcome: 'answered' });
    const [from, to] = [Date.parse(start_time), Date.parse(end_time)];
    const lost = ids.filter((id) => {
      const at = this.startOf.get(id) ?? null;
      return at === null || at < from || at >= to;
    });
    if (lost.length > 0) {
      const issues = lost.map((id) => ({ reason: 'SpanNotFound', message: `Span ${id} was not found.` }));
      throw new AppError('UNPROCESSABLE', 'Not found.', { status: 422, outcome: 'answered', issues });
    }
    this.written.push(ids);
    return { items: spans.map((span) => ({ ...span, item_id: `${this.#count}-${span.span_id}` })) };
  }
}

const service = new OwnService();
const rig = new DatasetRig({
  ...{ baseUrl: 'http://127.0.0.1:1', token: 'none' },
  wrapClient: (client) => {
    const call = async (operation: string, input: object) => service.answer(operation, input);
    return { ...client, call: call as ServiceClient['call'] };
  },
});
afterAll(() => rig[Symbol.asyncDispose]());

test('every span is covered once, in full calls, with any spans rejected, edited, missing or at another time', async () => {
  const { builds } = rig.datasets;
  const offset = fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.constantFrom(...OFFSETS_MS));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(offset, { minLength: 1, maxLength: 450, size: 'max' }),
      fc.integer({ min: 20, max: 260 }),
      fc.integer({ min: 2, max: 60 }),
      async (offsets, most, eachEdited) => {
        run += 1;
        const ids = offsets.map((_, at) => `s${run}-${at}-${LONG}`);
        const startMs = (at: number) => FIRST_MS + at * 60_000;
        service.startOf = new Map(
          offsets.map((ms, at) => [ids[at] ?? '', ms === null ? null : startMs(at) + ms]),
        );
        [service.most, service.written, service.items] = [most, [], []];
        const { buildId } = builds.create({
          applicationId: 'app',
          applicationName: 'App',
          name: `Run ${run}`,
        });
        for (let from = 0; from < ids.length; from += 200) {
          await builds.pickGiven(
            buildId,
            ids.slice(from, from + 200).map((span_id, index) => ({
              ...{ trace_id: `t${LONG}`, span_id, start_time: new Date(startMs(from + index)).toISOString() },
              record: { span_attributes: { 'user.question': span_id, 'user.answer': 'yes' } },
            })),
          );
        }
        await builds.change(buildId, {
          target: { kind: 'existing', datasetId: `dataset-${run}`, name: 'Dataset' },
          mapping: [
            { bucket: 'inputs', field: 'question', key: 'user.question' },
            { bucket: 'expected_outputs', field: 'answer', key: 'user.answer' },
          ],
          ...{ widens: true, skipsUnresolved: true },
        });
        const edited = ids.flatMap((_, at) => (at % eachEdited === 1 ? [at] : []));
        await builds.addReview(
          buildId,
          0,
          edited.map((position) => ({
            ...{ type: 'mark' as const, position, atMs: position },
            patch: { verdict: 'edited' as const, expected: 'no' },
          })),
        );
        await builds.control(buildId, 'commit');
        const done = await builds.whenIdle(buildId);

        expect(done.state, done.reason).toBe('done');
        const isEdited = new Set(edited);
        expect(service.items.toSorted()).toEqual(edited.map((at) => ids[at] ?? '').toSorted());
        const bySpan = service.written.flat();
        expect(new Set(bySpan).size).toBe(bySpan.length);
        const written = new Set(bySpan);
        const hasEnded = done.search?.end === 'allowance';
        offsets.forEach((ms, at) => {
          const isThere = written.has(ids[at] ?? '');
          if (isEdited.has(at) || ms === null) expect(isThere).toBe(false);
          else if (ms === 0) expect(isThere).toBe(true);
          // The span was searched until the maximum number of calls was reached.
          else if (!hasEnded) expect(isThere).toBe(true);
        });
        expect(done.counts).toMatchObject({
          acknowledged: bySpan.length + edited.length,
          excluded: offsets.length - bySpan.length - edited.length,
          ...{ unsent: 0, unresolved: 0, unknown: 0 },
        });
        const found = done.search?.found ?? [];
        const elsewhere = offsets.filter((ms, at) => ms !== 0 && ms !== null && !isEdited.has(at)).length;
        const foundSpans = found.reduce((sum, { spans }) => sum + spans, 0);
        expect(foundSpans).toBeLessThanOrEqual(elsewhere);
        // The calls are halved until the service accepts them.
        let size = Math.min(200, offsets.length - edited.length);
        while (size > most) size = Math.ceil(size / 2);
        const callsFor = (spans: number) => Math.ceil(spans / size);
        expect(service.written.length).toBeLessThanOrEqual(
          callsFor(bySpan.length - foundSpans) + found.length * callsFor(elsewhere),
        );
        expect(service.written.every(({ length }) => length <= most)).toBe(true);
      },
    ),
    { numRuns: 12 },
  );
});
