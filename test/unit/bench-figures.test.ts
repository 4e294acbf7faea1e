/** Builds the page of benchmarks from the measured figures. */
import { expect, test } from 'vitest';
import { figureTables, readFigures, withRun } from '../helpers/bench-figures.ts';
import { result } from '../helpers/bench-result.ts';

const machine = { cpu: 'x', cores: 2, system: '6.1', node: 'v24.0.0' };
const first = withRun(
  null,
  machine,
  { start: [result('ready', 450, 'ms', 500, '')], command: [result('help', 80, 'ms', 60, 'median | of 15')] },
  '2026-11-01',
);

test('a run replaces the figures of its benchmarks, and keeps the others with their day', () => {
  const next = withRun(first, machine, { command: [result('help', 50, 'ms', 60, '')] }, '2026-11-02');
  expect(next.measuredOn).toEqual({ command: '2026-11-02', start: '2026-11-01' });
  expect(next.results['command']?.map(({ figure }) => figure)).toEqual([50]);
  expect(next.results['start']).toEqual(first.results['start']);
  expect(readFigures(JSON.stringify(next))).toEqual(next);
});

test('figures of another computer are not mixed with these', () => {
  const next = withRun(first, { ...machine, cores: 8 }, { command: [] }, '2026-11-02');
  expect(Object.keys(next.results)).toEqual(['command']);
});

test('the page names the missed limits: more than the limit of a time, less than that of a pace', () => {
  const page = figureTables(
    withRun(
      first,
      machine,
      {
        uploads: [
          result('read', 180, 'MB/s', 250, 'more is better; a core'),
          result('papaparse', 72, 'MB/s', null, ''),
          { ...result('p-queue', 90, 'MB/s', 250, 'more is better'), isPeer: true },
          result('pace', 1_481, '', 60, 'more is better'),
          result('filter', 60, 'ms', 100, 'worse by at least 0.5'),
        ],
        none: [result('peer', Number.NaN, '', null, 'is not installed')],
      },
      '2026-11-02',
    ),
  );
  const missed = page.slice(page.indexOf('## Missed limits'), page.indexOf('## command'));
  expect(missed.split('\n').filter((line) => line.startsWith('| `'))).toEqual([
    '| `command` | help | 80 ms | 60 ms |',
    '| `uploads` | read | 180 MB/s | 250 MB/s |',
  ]);
  expect(page).toContain('| help | 80 ms | 60 ms | median \\| of 15 |');
  expect(page).toContain('| peer | cannot |  | is not installed |');
});
