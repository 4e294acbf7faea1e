/** Reports about generated score comparisons of any size. */
import { choose, type ReportSource, type SourceColumn } from '../../electron/core/report/choose.ts';
import { deriveReport } from '../../electron/core/report/derive.ts';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { reportText } from '../../electron/reports/report-file.ts';
import type { SigningKey } from '../../electron/reports/seal.ts';
import { whole } from '../../electron/shared/pieces.ts';
import type { Report, ReportKind, ReportOptions } from '../../electron/shared/report-model.ts';

const WORDS =
  `refund voucher claim policy water damage basement photo invoice customer asks about delay of payment
  and wants a clear answer from the assistant within two days because the insurance has not replied yet`.split(
    /\s+/,
  );
const ID = 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx';

/** A comparison of two runs over `items` items. Each trace has two of them. The same seed gives the same comparison. */
export function comparisonSource(items: number, seed = 1): ReportSource {
  const next = seededNumbers(seed);
  const places = Array.from({ length: items }, (_, at) => at);
  const column = (
    name: string,
    title: string,
    type: SourceColumn['type'],
    read: (at: number) => unknown,
    form: Partial<SourceColumn> = {},
  ): SourceColumn => ({ name, title, type, isUsual: true, ...form, values: places.map(read) });
  const text = () => Array.from({ length: 25 }, () => WORDS[Math.floor(next() * WORDS.length)]).join(' ');
  const id = () => ID.replaceAll('x', () => Math.floor(next() * 16).toString(16));
  const share = () => Math.round(next() * 1_000) / 1_000;
  return {
    kind: 'scores',
    title: 'correctness: Before the change and After the change',
    facts: [
      { label: 'Connection', text: 'Production, https://acme.fiddler.example' },
      { label: 'Dataset', text: 'Claims triage, edge cases' },
      { label: 'Score', text: 'correctness, higher is better' },
    ],
    rules: { lowerIsBetter: false, isOfSameTexts: true },
    tables: [
      {
        ...{ name: 'items', title: 'Items', rows: items },
        columns: [
          column('position', 'No.', 'number', (at) => at + 1),
          column('item_id', 'Item', 'text', id),
          column('title', 'Input', 'text', text, { path: 'inputs.question' }),
          column('before', 'Before', 'number', share),
          column('after', 'After', 'number', (at) => (at % 50 === 0 ? null : share())),
          column('label_before', 'Label before', 'text', () => (next() > 0.5 ? 'yes' : 'no')),
          column('label_after', 'Label after', 'text', () => (next() > 0.4 ? 'yes' : 'no')),
          column('state_before', 'State before', 'text', () => 'scored'),
          column('state_after', 'State after', 'text', (at) => (at % 50 === 0 ? 'failed' : 'scored')),
          column('failure_kind', 'Failure kind', 'text', (at) => (at % 7 === 0 ? 'Wrong tool' : null)),
          column('trace', 'Trace', 'number', (at) => Math.floor(at / 2)),
          column('reasoning_after', 'Reason after', 'text', text, { isUsual: false, isContent: true }),
        ],
      },
    ],
  };
}

/** A table of a kind whose columns are texts, numbers (`#`) or times (`@`). */
export function sourceOf(
  kind: ReportKind,
  name: string,
  columns: Readonly<Record<string, readonly unknown[]>>,
  rules: ReportSource['rules'] = {},
): ReportSource {
  const made = Object.entries(columns).map(([typed, values]) => ({
    ...{ name: typed.replace(/^[#@]/, ''), title: typed.replace(/^[#@]/, ''), isUsual: true, values },
    type: typed.startsWith('#')
      ? ('number' as const)
      : typed.startsWith('@')
        ? ('time' as const)
        : ('text' as const),
  }));
  const rows = made[0]?.values.length ?? 0;
  return { kind, title: kind, facts: [], rules, tables: [{ name, title: name, rows, columns: made }] };
}

export function reportOf(
  source: ReportSource,
  options: Partial<Pick<ReportOptions, 'fields' | 'masked'>> = {},
  privateFields: readonly string[] = [],
): Report {
  return whole(deriveReport(whole(choose(source, { fields: null, masked: [], ...options }, privateFields))));
}

export const fileOf = (report: Report, key: SigningKey | null = null): Promise<string> =>
  reportText(report, key, () => Promise.resolve());
