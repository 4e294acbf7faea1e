/** Reports as files: figures, masks, seals, and the results of a verification. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { viewerText } from '../../build/report-viewer.ts';
import { Figures } from '../../electron/core/items/score-figures.ts';
import { MASKED } from '../../electron/core/masking/redact.ts';
import {
  choose,
  fieldsOf,
  type ReportSource,
  unknownFields,
  unknownMasks,
} from '../../electron/core/report/choose.ts';
import { partsOf, sealText } from '../../electron/core/report/page.ts';
import { VIEWER_HASHES, VIEWER_SCRIPT, VIEWER_STYLE } from '../../electron/core/report/viewer-text.ts';
import { VIEWER_VERSIONS } from '../../electron/core/report/viewer-versions.ts';
import { verifyReport } from '../../electron/reports/report-file.ts';
import { newPrivateKey, sealOf, signingKey } from '../../electron/reports/seal.ts';
import { writeNumbersAs } from '../../electron/shared/count-text.ts';
import { RawNumber } from '../../electron/shared/exact-json.ts';
import { verdictWords } from '../../electron/shared/figure-words.ts';
import { whole } from '../../electron/shared/pieces.ts';
import { REPORT_VERSION, type ReportKind } from '../../electron/shared/report-model.ts';
import { comparisonSource, fileOf, reportOf, sourceOf } from '../helpers/sample-report.ts';

const key = signingKey(newPrivateKey());
const ANY = { ownKey: null, wanted: null };
const results = async (text: string, of: Parameters<typeof verifyReport>[1] = ANY) =>
  Object.fromEntries((await verifyReport(text, of)).checks.map(({ what, result }) => [what, result]));
/** Changes a file, and computes its hash and its signature again. */
function resealed(text: string): string {
  const parts = partsOf(text);
  if (parts === null) throw new Error('Expected a report.');
  const { before, after } = parts;
  return `${before}${sealText(sealOf(`${before}${after}`, key))}${after}`;
}
const ALL_OK = { Content: 'ok', Signature: 'ok', Rows: 'ok', Figures: 'ok', Page: 'ok' };

const OTHERS: Readonly<Partial<Record<ReportKind, ReportSource>>> = {
  review: sourceOf('review', 'spans', {
    verdict: ['accepted', 'accepted', 'rejected', 'skipped'],
    failure_kind: [null, null, 'Wrong tool', null],
  }),
  version: sourceOf('version', 'items', { 'inputs.question': ['a', null, 'c'], '#extras.n': [1, 2, null] }),
  changes: sourceOf(
    'changes',
    'changes',
    { change: ['changed', 'added'], fields: ['inputs.a, inputs.b', null] },
    { same: 7 },
  ),
  coverage: sourceOf('coverage', 'values', {
    dimension: ['model', 'model', 'type'],
    value: ['small', 'large', 'llm'],
    '#production': [50, 50, 10],
    '#items': [4, 0, 2],
  }),
  trace: sourceOf('trace', 'spans', {
    span_id: ['b', 'a', 'c'],
    parent_span_id: ['a', null, 'b'],
    span_type: ['llm', 'chain', 'llm'],
    status_code: ['OK', 'OK', 'ERROR'],
    '@start_time': ['2026-05-01T00:00:01Z', '2026-05-01T00:00:00Z', '2026-05-01T00:00:02Z'],
    '@end_time': ['2026-05-01T00:00:03Z', '2026-05-01T00:00:04Z', '2026-05-01T00:00:02.500Z'],
    '#gen_ai.usage.input_tokens': [120, 120, 20],
    '#gen_ai.usage.cache_read_input_tokens': [90, 90, 10],
  }),
  board: sourceOf('board', 'values', {
    chart: ['Drift', 'Drift', 'Traffic'],
    series: ['age', 'age', 'Traffic'],
    '@time': ['2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z', '2026-05-01T00:00:00Z'],
    '#value': [0.1, 0.3, null],
  }),
  alert: sourceOf('alert', 'records', {
    '@time': ['2026-05-02T00:00:00Z', '2026-05-01T00:00:00Z'],
    severity: ['CRITICAL', 'WARNING'],
    '#value': [0.9, 0.5],
    column: [null, null],
  }),
};

/** The figures of each kind of report, as `label: value`. */
const FIGURES: Readonly<Partial<Record<ReportKind, readonly string[]>>> = {
  review: ['Reviewed: 4 spans', 'accepted: 2 spans', 'rejected: 1 span', 'skipped: 1 span'],
  version: ['Items: 3 items'],
  changes: ['Items: added: 1 item', 'Items: changed: 1 item', 'Items: same: 7 items'],
  coverage: ['Mean coverage: 75 %', 'model: 50 %', 'type: 100 %'],
  trace: ['Spans: 3 spans', 'Failed: 1 span', 'Length: 4 s', 'Depth: 3 levels', 'Tokens: 120 tokens'],
  board: ['Drift: age: 0.3', 'Traffic: No values'],
  alert: ['Records: 2 records', 'CRITICAL: 1 record', 'WARNING: 1 record', 'Value: 0.9'],
};

describe('a report', () => {
  test('has the figures of the comparison that the window shows', () => {
    const source = comparisonSource(300);
    const report = reportOf(source);
    const columns = new Map(source.tables[0]?.columns.map(({ name, values }) => [name, values]));
    const at = (name: string, row: number) => columns.get(name)?.[row];
    const figures = new Figures({
      ...{ lowerIsBetter: false, isSingle: false },
      clusterOf: (row) => String(at('trace', Number(row))),
    });
    for (let row = 0; row < 300; row += 1) {
      const [before, after] = [at('before', row), at('after', row)];
      if (typeof before !== 'number' || typeof after !== 'number') continue;
      const labels = ['label_before', 'label_after'].map((name) => String(at(name, row)));
      const [labelBefore = null, labelAfter = null] = labels;
      figures.add({ itemId: String(row), before, after, labelBefore, labelAfter });
    }
    const own = whole(figures.finish());
    const words = own === null ? null : verdictWords(own);
    expect(report.figures[0]).toEqual({ label: 'Result', value: words?.head, detail: words?.detail });
    expect(report.tables[0]?.columns.map(({ name }) => name)).toContain('difference');
  });

  test('made twice of the same data is the same file, whatever the format of numbers', async () => {
    const once = await fileOf(reportOf(comparisonSource(100)), key);
    writeNumbersAs('point');
    const again = await fileOf(reportOf(comparisonSource(100)), key);
    const found = await results(again);
    writeNumbersAs('comma');
    expect(again).toBe(once);
    expect(found).toEqual(ALL_OK);
  });

  test.each(Object.entries(OTHERS))('about %s is verified', async (kind, source) => {
    const report = reportOf(source);
    const figures = report.figures.map(({ label, value }) => `${label}: ${value}`);
    expect(figures).toEqual(FIGURES[kind as ReportKind]);
    expect(await results(await fileOf(report, key))).toEqual(ALL_OK);
  });

  test.each(Object.keys(OTHERS) as ReportKind[])(
    'about %s without the needed columns has no figures',
    async (kind) => {
      const source = sourceOf(kind, 'other', { note: ['a'] });
      const report = reportOf(source);
      expect(report.figures).toEqual([]);
      expect(await results(await fileOf(report, key))).toEqual(ALL_OK);
    },
  );

  test.each(Object.entries({ ...OTHERS, scores: comparisonSource(60) }))(
    'about %s has no figure that a masked field makes false, and says which are left out',
    async (kind, source) => {
      const whole = reportOf(source);
      const bars = ({ charts }: typeof whole) =>
        charts.flatMap((chart): object[] => (chart.form === 'bars' ? chart.bars : chart.series));
      for (const { name } of source.tables.flatMap(({ columns }) => columns)) {
        const report = reportOf(source, { masked: [name] });
        const figures = report.figures.filter(({ label }) => label !== 'Left out');
        const isFewer = figures.length < whole.figures.length || bars(report).length < bars(whole).length;
        expect(whole.figures, `${kind} ${name}`).toEqual(expect.arrayContaining(figures));
        expect(bars(whole), `${kind} ${name}`).toEqual(expect.arrayContaining(bars(report)));
        if (isFewer) expect(report.figures.at(-1)?.detail, `${kind} ${name}`).toContain('because of');
        expect(await results(await fileOf(report, key))).toEqual(ALL_OK);
      }
    },
  );

  test('without the needed fields has no figures of scores', () => {
    expect(reportOf(comparisonSource(20), { masked: ['after'] }).figures.map(({ label }) => label)).toEqual([
      'Left out',
    ]);
    expect(reportOf(comparisonSource(20), { fields: ['item_id', 'before', 'after'] }).figures).toEqual([]);
  });

  test('loads nothing and runs only its own script', async () => {
    const text = await fileOf(reportOf(comparisonSource(20)), key);
    const [page = ''] = text.split('<script type="application/json"');
    expect(page).not.toMatch(/\s(?:src|href|srcset|style|on\w+)=/);
    expect(page).not.toMatch(/url\(|@import/);
    expect(page).toContain(`script-src &#39;sha256-${VIEWER_HASHES.script}&#39;`);
  });

  test('has the script and the style that are known of its version', () => {
    // If the viewer changes after a release, it is a new version: raise REPORT_VERSION and add its hashes.
    expect(VIEWER_VERSIONS[REPORT_VERSION]).toEqual(VIEWER_HASHES);
  });

  test('has the script and the style of its sources', async () => {
    const made = await viewerText();
    for (const part of [VIEWER_HASHES.script, VIEWER_HASHES.style]) expect(made).toContain(part);
    expect(VIEWER_SCRIPT.length + VIEWER_STYLE.length).toBeLessThan(60_000);
  });
});

describe('fields of a report', () => {
  const source = comparisonSource(10);

  test('are the usual ones unless they are chosen', () => {
    expect(reportOf(source).tables[0]?.columns.map(({ name }) => name)).not.toContain('reasoning_after');
    const chosen = reportOf(source, { fields: ['item_id', 'reasoning_after'] });
    expect(chosen.tables[0]?.columns.map(({ name }) => name)).toEqual(['item_id', 'reasoning_after']);
    expect(reportOf(source, { fields: [] }).tables).toEqual([]);
    expect(unknownFields(source, ['item_id', 'nothing'])).toEqual(['nothing']);
  });

  test('that are private are masked with everything that may repeat them', () => {
    const [items] = reportOf(source, { fields: ['title', 'reasoning_after'] }, ['question']).tables;
    expect(new Set(items?.columns.flatMap(({ values }) => values))).toEqual(new Set([MASKED]));
    expect(
      fieldsOf(source, ['question'])
        .filter(({ isPrivate }) => isPrivate)
        .map(({ name }) => name),
    ).toEqual(['title', 'reasoning_after']);
  });

  test('below a masked name are masked too, and their texts wherever they are repeated', () => {
    const repeated = sourceOf('version', 'items', {
      'inputs.question': ['Where is Ana Lopez?', 'Another'],
      'metadata.note': ['Where is Ana Lopez?', 'free'],
    });
    const { tables, masked } = reportOf(
      { ...repeated, title: 'Another', facts: [{ label: 'Search', text: 'Where is Ana Lopez?' }] },
      { masked: ['inputs'] },
    );
    expect(tables[0]?.columns.map(({ values }) => values)).toEqual([
      [MASKED, MASKED],
      [MASKED, 'free'],
    ]);
    expect(masked).toEqual(['inputs.question', 'metadata.note']);
    const told = whole(choose({ ...repeated, title: 'Another' }, { fields: null, masked: ['inputs'] }, []));
    expect(told.title).toBe(MASKED);
  });

  test('inside lists and JSON texts are masked by their own path, however short their values are', () => {
    const nested = sourceOf('version', 'items', {
      'inputs.people': [[{ name: 'Ana', age: 3 }], [{ age: 4 }]],
      'inputs.messages': ['[{"role":"user","name":"Bo"}]', '[{"role": "user"}]'],
      'metadata.note': ['{not JSON', 'Ana'],
    });
    const { tables, masked } = reportOf(nested, {}, ['people.name', 'messages.name']);
    expect(tables[0]?.columns.map(({ values }) => values)).toEqual([
      [`[{"name":"${MASKED}","age":3}]`, '[{"age":4}]'],
      [`[{"role":"user","name":"${MASKED}"}]`, '[{"role": "user"}]'],
      ['{not JSON', 'Ana'],
    ]);
    expect(masked).toEqual(['inputs.messages', 'inputs.people']);
  });

  test('that no report has cannot be masked', () => {
    const mixed = sourceOf('version', 'items', {
      'inputs.people': [[{ name: null }], '[{"mail":"a"}]'],
      '#extras.n': [null, null],
    });
    const names = [
      'people',
      'inputs',
      'inputs.*',
      'people.*',
      'people.name',
      'mail',
      'n',
      'emial',
      'inputs.poeple',
    ];
    expect(unknownMasks(mixed, names)).toEqual(['emial', 'inputs.poeple']);
    expect(unknownMasks(comparisonSource(3), ['inputs', 'question', 'title', 'output'])).toEqual(['output']);
  });

  test('that are masked are not repeated by the title, a fact or its label', () => {
    const id = 'b1bba4fb026dccd4';
    const source: ReportSource = {
      ...sourceOf('trace', 'spans', { trace_id: [id, id], name: ['Refund Desk', null] }),
      title: `Trace ${id}`,
      facts: [
        { label: 'Refund Desk: traffic', text: `${id}, read today` },
        { label: 'Filters', text: `None: every stored span of ${id}0.` },
      ],
    };
    const { title, facts } = reportOf(source, { masked: ['trace_id', 'name'] });
    expect({ title, facts }).toEqual({
      title: `Trace ${MASKED}`,
      facts: [
        { label: `${MASKED}: traffic`, text: `${MASKED}, read today` },
        { label: 'Filters', text: `None: every stored span of ${id}0.` },
      ],
    });
  });

  test('that are masked are masked in texts that may repeat the beginning of any field', () => {
    const chosen = { fields: ['position', 'reasoning_after'], masked: ['title'] };
    const [items] = reportOf(comparisonSource(4), chosen).tables;
    expect(new Set(items?.columns[1]?.values)).toEqual(new Set([MASKED]));
  });

  test('of several sources are masked value by value', () => {
    const mixed = sourceOf('coverage', 'values', { value: ['ana@example.com', 'llm'] });
    const [table] = mixed.tables;
    const [column] = table?.columns ?? [];
    if (table === undefined || column === undefined) throw new Error('Expected a column.');
    const columns = [{ ...column, paths: ['user.email', 'span_type'] }];
    const report = reportOf({ ...mixed, tables: [{ ...table, columns }] }, {}, ['email']);
    expect(report.tables[0]?.columns[0]?.values).toEqual([MASKED, 'llm']);
  });

  test('keep numbers that a browser would change, and nested values, as texts', () => {
    const odd = sourceOf('version', 'items', {
      '#n': [new RawNumber('12345678901234567890'), Number.NaN, undefined],
      o: [{ a: [1] }, true, 'text'],
    });
    expect(reportOf(odd).tables[0]?.columns.map(({ values }) => values)).toEqual([
      ['12345678901234567890', 'NaN', null],
      ['{"a":[1]}', true, 'text'],
    ]);
  });
});

describe('verification of a report', () => {
  test('names the key, and whether it is the expected one', async () => {
    const text = await fileOf(reportOf(comparisonSource(30)), key);
    const own = key?.fingerprint ?? '';
    expect(await results(text, { ownKey: own, wanted: own.replace('SHA256:', '').toUpperCase() })).toEqual(
      ALL_OK,
    );
    expect(await results(text, { ownKey: own, wanted: 'SHA256:0000' })).toMatchObject({
      Signature: 'failed',
    });
    const unsigned = await fileOf(reportOf(comparisonSource(30)));
    expect(await results(unsigned)).toMatchObject({ Content: 'ok', Signature: 'unknown' });
    expect(await results(unsigned, { ownKey: own, wanted: own })).toMatchObject({ Signature: 'failed' });
  });

  test('finds a figure, a chart, a computed column that the rows do not give', async () => {
    const report = reportOf(comparisonSource(40));
    const [first, ...figures] = report.figures;
    if (first === undefined) throw new Error('Expected a figure.');
    const forged = [
      { ...report, figures: [{ ...first, value: 'Better by 9' }, ...figures] },
      { ...report, figures },
      { ...report, charts: report.charts.slice(1) },
      {
        ...report,
        tables: report.tables.map((table) => ({
          ...table,
          columns: table.columns.map((column) =>
            column.isDerived ? { ...column, values: column.values.toReversed() } : column,
          ),
        })),
      },
    ];
    for (const each of forged)
      expect(await results(await fileOf(each, key))).toMatchObject({ Figures: 'failed' });
  });

  test('finds a page that shows something else than its data, even with a new seal', async () => {
    const text = await fileOf(reportOf(comparisonSource(40)), key);
    const forged = resealed(text.replace('<strong>', '<strong>not '));
    expect(await results(forged)).toEqual({ ...ALL_OK, Page: 'failed' });
  });

  test('does not fail a page whose script or style is not of its version, unless anything else differs', async () => {
    const text = await fileOf(reportOf(comparisonSource(40)), key);
    const hash = (of: string) => createHash('sha256').update(of).digest('base64');
    const [script, style] = [`${VIEWER_SCRIPT};0`, `${VIEWER_STYLE}p {margin: 0;}`];
    const older = text
      .replace(VIEWER_SCRIPT, () => script)
      .replace(VIEWER_STYLE, () => style)
      .replace(VIEWER_HASHES.script, hash(script))
      .replace(VIEWER_HASHES.style, hash(style));
    expect(await results(resealed(older))).toEqual({ ...ALL_OK, Page: 'unknown' });
    expect(await results(older)).toMatchObject({ Content: 'failed', Page: 'failed' });
    expect(await results(resealed(older.replace('<strong>', '<strong>not ')))).toMatchObject({
      Page: 'failed',
    });
    for (const part of [`<style>${VIEWER_STYLE}</style>`, `\n<script>${VIEWER_SCRIPT}</script>`])
      expect(await results(resealed(text.replace(part, '')))).toMatchObject({ Page: 'failed' });
    // The policy must contain the hash of the script in the file.
    expect(await results(resealed(text.replace(VIEWER_SCRIPT, () => script)))).toMatchObject({
      Page: 'failed',
    });
  });

  test('finds bytes around the packed rows that nobody would read', async () => {
    const text = await fileOf(reportOf(comparisonSource(40)), key);
    const rows = /"rows":"([^"]+)"\}</.exec(text)?.[1] ?? '';
    const longer = Buffer.concat([Buffer.from(rows, 'base64'), Buffer.from('hidden')]).toString('base64');
    for (const other of [longer, `${rows.slice(0, 8)} ${rows.slice(8)}`])
      expect(await results(resealed(text.replace(rows, other)))).toMatchObject({ Rows: 'failed' });
  });

  test('does not confirm a signature of another content', async () => {
    const text = await fileOf(reportOf(comparisonSource(40)), key);
    const changed = text.replace('<strong>', '<strong>not ');
    expect(await results(changed)).toMatchObject({ Content: 'failed', Signature: 'unknown' });
  });

  test('finds rows of another number, form or hash', async () => {
    const report = reportOf(comparisonSource(40));
    const short = { ...report, tables: report.tables.map((table) => ({ ...table, rows: 39 })) };
    expect(await results(await fileOf(short, key))).toMatchObject({ Rows: 'failed' });
    const text = await fileOf(report, key);
    const rows = /"rows":"([^"]+)"\}</.exec(text)?.[1] ?? '';
    const other = /"rows":"([^"]+)"\}</.exec(await fileOf(reportOf(comparisonSource(40, 2)), key))?.[1] ?? '';
    expect(await results(text.replace(rows, other))).toMatchObject({ Rows: 'failed', Content: 'failed' });
    expect(await results(text.replace(rows, 'AAAA'))).toMatchObject({ Rows: 'failed' });
  });

  test('refuses a file that is not a report, and a report of a newer version', async () => {
    const text = await fileOf(reportOf(comparisonSource(5)), key);
    for (const other of [
      '',
      '<html></html>',
      text.replace('"head"', '"face"'),
      text.replace(/id="seal"/, 'id="x"'),
      text.replace('</body>', '<script type="application/json" id="report"></body>'),
    ])
      await expect(verifyReport(other, ANY)).rejects.toMatchObject({ code: 'FILE_MALFORMED' });
    await expect(verifyReport(text.replace('"version":1', '"version":9'), ANY)).rejects.toMatchObject({
      code: 'FILE_NEWER',
    });
    await expect(verifyReport(text.replace('"kind":"scores"', '"kind":"none"'), ANY)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
    });
  });

  test('is not misled by an entry of the keychain that is not a key', () => {
    expect(signingKey('no key')).toBeNull();
    expect(signingKey('')).toBeNull();
  });
});
