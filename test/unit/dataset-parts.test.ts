/** Pure functions of a build: time ranges, failed spans, evidence, suggestions. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readScores, scoreInputsOf } from '../../electron/core/jobs/score-run.ts';
import { callRange, startMsOf, unionOf } from '../../electron/core/spans/call-range.ts';
import { failedSpans } from '../../electron/core/spans/failed-spans.ts';
import { type EvidenceInput, judgeCalls } from '../../electron/datasets/evidence.ts';

describe('the time range of a call', () => {
  const rules = { timeRange: null, pickedRange: null, marginMs: 60_000 };

  test('covers every start with the margin, its end exclusive', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 4_000_000_000_000 }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 0, max: 86_400_000 }),
        (starts, marginMs) => {
          const range = callRange(starts, { ...rules, marginMs });
          const [startMs, endMs] = [startMsOf(range?.startTime), startMsOf(range?.endTime)];
          for (const ms of starts) {
            expect(startMs).toBeLessThanOrEqual(ms - marginMs);
            expect(endMs).toBeGreaterThan(ms + marginMs);
          }
        },
      ),
    );
  });

  test('is the range that the user set, whatever the starts are', () => {
    const timeRange = { startTime: '2025-01-01T00:00:00Z', endTime: '2025-02-01T00:00:00Z' };
    expect(callRange([0, null], { ...rules, timeRange })).toEqual(timeRange);
  });

  test('is the range of the query if a span has no start, and none if there is no query range', () => {
    const pickedRange = { startTime: '2025-01-01T00:00:00Z', endTime: '2025-02-01T00:00:00Z' };
    expect(callRange([null], { ...rules, pickedRange })).toEqual(pickedRange);
    expect(callRange([null, 0], rules)).toBeNull();
    const late = Date.parse('2025-03-01T00:00:00Z');
    expect(callRange([null, late], { ...rules, pickedRange })).toEqual({
      startTime: '2025-01-01T00:00:00Z',
      endTime: '2025-03-01T00:01:00.001Z',
    });
  });

  test.each([
    ['2025-12-05T17:17:42.942200+00:00', Date.parse('2025-12-05T17:17:42.942Z')],
    ['2025-12-05T17:17:42.942200189Z', Date.parse('2025-12-05T17:17:42.942Z')],
    ['2025-12-05 17:17:42', Date.parse('2025-12-05T17:17:42Z')],
    ['2025-12-05T19:17:42+0200', Date.parse('2025-12-05T17:17:42Z')],
    ['2025-12-05', Date.parse('2025-12-05T00:00:00Z')],
    ['yesterday', null],
    ['12/05/2025', null],
    ['', null],
    [1_700_000_000, null],
    [null, null],
  ])('reads %s as meant', (text, ms) => {
    expect(startMsOf(text)).toBe(ms);
  });

  test('two ranges are joined by their times, not by their texts', () => {
    const one = { startTime: '2025-01-01T02:00:00+02:00', endTime: '2025-02-01T00:00:00Z' };
    const other = { startTime: '2025-01-01T00:30:00Z', endTime: '2025-02-01T03:00:00+02:00' };
    expect(unionOf(one, other)).toEqual({ startTime: one.startTime, endTime: other.endTime });
  });
});

describe('failed spans', () => {
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 16, maxLength: 16 });
  const spans = fc
    .uniqueArray(hex, { minLength: 1, maxLength: 60 })
    .map((ids) => ids.map((span_id, index) => ({ trace_id: `trace${Math.floor(index / 3)}`, span_id })));

  test('are found by their ids in any wording, and no others', () => {
    fc.assert(
      fc.property(spans, fc.infiniteStream(fc.boolean()), fc.nat(3), (given, failing, wording) => {
        const failed = given.map((_, index) => index).filter(() => failing.next().value);
        const issues = failed.map((index) => {
          const { trace_id, span_id } = given[index] ?? { trace_id: '', span_id: '' };
          const words = [
            `Span ${span_id} of trace ${trace_id} was not found between a and b.`,
            `not found: {"span_id":"${span_id.toUpperCase()}","trace_id":"${trace_id}"}`,
            `${trace_id}:${span_id}`,
            `SpanNotFound(${span_id})`,
          ];
          return { reason: 'SpanNotFound', message: words[wording] ?? '' };
        });
        const found = failedSpans(issues, given);
        expect([...found.messages.keys()].sort((a, b) => a - b)).toEqual(failed);
        expect(found.unmatched).toEqual([]);
      }),
    );
  });

  test('the trace distinguishes two spans with one id; without it both are meant', () => {
    const given = [
      { trace_id: 'aaaa', span_id: 'same' },
      { trace_id: 'bbbb', span_id: 'same' },
    ];
    const say = (message: string) => [
      ...failedSpans([{ reason: 'SpanNotFound', message }], given).messages.keys(),
    ];
    expect(say('Span same of trace bbbb')).toEqual([1]);
    expect(say('Span same')).toEqual([0, 1]);
  });

  test('a message that names no span is kept, and unusual ids are found', () => {
    const given = [{ trace_id: 't', span_id: 'a/b c' }];
    const issues = [
      { reason: 'SpanNotFound', message: 'the span a/b c is gone' },
      { reason: 'Other', message: '' },
    ];
    expect(failedSpans(issues, given)).toEqual({
      messages: new Map([[0, 'the span a/b c is gone']]),
      unmatched: ['Other'],
    });
  });
});

describe('evidence for stored items', () => {
  const calls: EvidenceInput['calls'] = [
    {
      batch: 3,
      sentAtMs: 1_000,
      spans: [
        { traceId: 't', spanId: 's1', itemId: null, content: 'one' },
        { traceId: 't', spanId: 's2', itemId: null, content: 'two' },
      ],
    },
  ];
  const base: EvidenceInput = {
    calls,
    items: [],
    note: '',
    namesSpans: false,
    nowMs: 100_000,
    settleMs: 30_000,
  };
  const judge = (input: Partial<EvidenceInput>) => judgeCalls({ ...base, ...input }).get(3);
  const item = (id: string, sourceId: string | null, content: string, createdMs: number | null = null) => ({
    id,
    sourceId,
    content,
    createdMs,
  });

  test.each([
    ['by their spans', 's1', 's2'],
    ['by their content', null, null],
  ])('items %s that were there before the request do not prove that it was stored', (_how, one, two) => {
    const sentAtMs = 86_400_000;
    const [first] = calls;
    const at = (...createdMs: [number, number]) =>
      judge({
        calls: [{ batch: 3, spans: first?.spans ?? [], sentAtMs }],
        items: [item('a', one, 'one', createdMs[0]), item('b', two, 'two', createdMs[1])],
        nowMs: sentAtMs + 100_000,
      });
    expect(at(1_000, 1_000)).toMatchObject({
      evidence: {
        verdict: 'undecided',
        facts: [
          '0 of 2 items of this request are in the dataset.',
          'The dataset has 2 items with this content from before the request was sent.',
        ],
      },
      itemIds: [null, null],
    });
    expect(at(sentAtMs, 1_000)?.evidence.verdict).toBe('undecided');
    // The clocks may differ a little.
    expect(at(sentAtMs - 60_000, sentAtMs + 60_000)).toMatchObject({
      evidence: { verdict: 'stored' },
      itemIds: ['a', 'b'],
    });
  });

  test('items that name their spans', () => {
    const found = judge({ items: [item('b', 's2', 'two'), item('x', 's9', 'one'), item('a', 's1', 'one')] });
    expect(found).toMatchObject({ evidence: { verdict: 'stored' }, itemIds: ['a', 'b'] });
  });

  test('items without a source are matched by content; each is used once', () => {
    const found = judge({ items: [item('a', null, 'one'), item('b', null, 'two'), item('c', null, 'two')] });
    expect(found?.evidence.verdict).toBe('stored');
    expect(new Set(found?.itemIds).size).toBe(2);
    const nearDuplicates = judge({
      calls: [
        {
          batch: 3,
          sentAtMs: 0,
          spans: ['s1', 's2'].map((spanId) => ({ traceId: 't', spanId, itemId: null, content: 'one' })),
        },
      ],
      items: [item('a', null, 'one')],
    });
    expect(nearDuplicates).toMatchObject({ evidence: { verdict: 'undecided' }, itemIds: ['a', null] });
  });

  test('without matches: not stored, once the service had time to store', () => {
    expect(judge({})?.evidence.verdict).toBe('not-stored');
    expect(judge({ nowMs: 5_000 })?.evidence).toMatchObject({ verdict: 'undecided' });
    expect(judge({ note: 'Only the first 10 items were read.' })?.evidence.verdict).toBe('undecided');
    expect(judge({ items: null, note: 'no permission' })?.evidence.verdict).toBe('undecided');
  });

  test('spans known by identity alone are judged only if items name their spans', () => {
    const blind = [
      { batch: 3, sentAtMs: 0, spans: [{ traceId: 't', spanId: 's1', itemId: null, content: null }] },
    ];
    expect(judge({ calls: blind })?.evidence.verdict).toBe('undecided');
    expect(judge({ calls: blind, namesSpans: true })?.evidence.verdict).toBe('not-stored');
    expect(judge({ calls: blind, items: [item('a', 's1', '?')] })?.evidence.verdict).toBe('stored');
  });

  test('items of the same spans with other content are from another mapping', () => {
    const found = judge({ items: [item('a', 's1', 'else'), item('b', 's2', 'else')] });
    expect(found).toMatchObject({ evidence: { verdict: 'undecided' }, itemIds: [null, null] });
  });
});

describe('scores of items', () => {
  const item = { inputs: { question: 'why' }, expected_outputs: {}, metadata: {}, extras: {} };

  test('an evaluator receives fields and fixed texts; a missing field is named', () => {
    const field = (bucket: 'inputs' | 'extras', name: string) => ({
      kind: 'field' as const,
      bucket,
      field: name,
    });
    expect(
      scoreInputsOf(item, [
        { input: 'prompt', from: field('inputs', 'question') },
        { input: 'context', from: field('extras', 'passages') },
        { input: 'tone', from: { kind: 'text', text: 'plain' } },
      ]),
    ).toEqual({ inputs: { prompt: 'why', tone: 'plain' }, missing: ['extras.passages'] });
  });

  test('a result with neither value nor label has failed', () => {
    const { scores, failed } = readScores([
      { name: 'a', value: 0 },
      { name: 'b', label: 'yes' },
      { name: 'c', value: null, reasoning: 'no words' },
    ]);
    expect(failed).toEqual(['c']);
    expect(scores[2]).toEqual({ name: 'c', value: null, label: null, reasoning: 'no words' });
  });
});
