import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spansOfBin, spansOfPoint } from '../../renderer/lib/monitoring/chart-spans.ts';

const application = { kind: 'application', applicationId: 'a1' } as const;

test('a point opens the time of its bin: bins are adjacent, without gap or overlap', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(gaps, (lengths) => {
      const times = [0];
      for (const gap of lengths) times.push((times.at(-1) ?? 0) + gap);
      const ranges = times.map((ms) => {
        // Missing bins in a series do not change where its bins end.
        const found = spansOfPoint(application, [{ times: times.slice(1) }, { times }], ms);
        if (!found.isOk) throw new Error(found.reason);
        return found.range;
      });
      expect(ranges.map(({ startMs }) => startMs)).toEqual(times);
      expect(ranges.slice(0, -1).map(({ endMs }) => endMs)).toEqual(times.slice(1));
      expect((ranges.at(-1)?.endMs ?? 0) - (times.at(-1) ?? 0)).toBe(lengths.at(-1));
    }),
  );
});

test('says why if spans cannot be named', () => {
  const model = { kind: 'model', projectId: 'p', modelId: 'm' } as const;
  expect(spansOfPoint(model, [{ times: [0, 1] }], 0)).toMatchObject({
    reason: expect.stringContaining('model'),
  });
  expect(spansOfPoint(application, [{ times: [5] }], 5)).toMatchObject({
    reason: expect.stringContaining('one point'),
  });
});

test.each([
  ['Hour', '2026-03-01T05:00:00Z', '2026-03-01T06:00:00.000Z'],
  ['Day', '2026-02-28T00:00:00Z', '2026-03-01T00:00:00.000Z'],
  ['Week', '2026-02-23T00:00:00Z', '2026-03-02T00:00:00.000Z'],
  ['Month', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00.000Z'],
  ['Quarter', '2026-10-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
])('an alert record opens the spans of its bin (%s)', (binSize, start, end) => {
  const found = spansOfBin({ applicationId: 'a1', binSize }, Date.parse(start));
  expect(found?.applicationId).toBe('a1');
  expect(new Date(found?.range.endMs ?? 0).toISOString()).toBe(end);
  expect(spansOfBin({ applicationId: '', binSize }, 0)).toBeNull();
});
