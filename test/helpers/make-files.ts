/** Files for uploads: imitations of public sample tables, tables in any dialect, and broken files. */
import { writeFileSync } from 'node:fs';
import { seededNumbers } from '../../electron/core/seeded.ts';
import type { Dialect } from '../../electron/shared/dialect.ts';

const pick = <T>(next: () => number, list: readonly [T, ...T[]]): T =>
  list[Math.floor(next() * list.length)] ?? list[0];

/** Imitates a table of bank customers: categories, integers, decimals, a target column. */
export function churnCsv(rows: number, seed = 1): string {
  const next = seededNumbers(seed);
  const lines = [
    'CreditScore,Geography,Gender,Age,Tenure,Balance,NumOfProducts,HasCrCard,IsActiveMember,EstimatedSalary,Churned',
  ];
  for (let row = 0; row < rows; row += 1) {
    lines.push(
      [
        300 + Math.floor(next() * 550),
        pick(next, ['France', 'Spain', 'Germany']),
        pick(next, ['Female', 'Male']),
        18 + Math.floor(next() * 70),
        Math.floor(next() * 11),
        next() < 0.3 ? '0.0' : (next() * 200_000).toFixed(2),
        1 + Math.floor(next() * 4),
        pick(next, ['Yes', 'No']),
        pick(next, ['Yes', 'No']),
        (next() * 200_000).toFixed(2),
        pick(next, ['Churned', 'Not Churned']),
      ].join(','),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Imitates a log of car insurances: ids, US dates without a zone, decimals with many digits. */
export function insuranceCsv(rows: number, seed = 1): string {
  const next = seededNumbers(seed);
  const lines = [
    'customer,location_state,customer_lifetime_value,response,coverage,effective_to_date,gender,income,total_claim_amount,high_value,predicted_customer_lifetime_value',
  ];
  for (let row = 0; row < rows; row += 1) {
    const letters = String.fromCharCode(65 + Math.floor(next() * 26), 65 + Math.floor(next() * 26));
    lines.push(
      [
        `${letters}${10_000 + row}`,
        pick(next, ['California', 'Oregon', 'Nevada', 'Arizona', 'Washington']),
        (2_000 + next() * 9_000).toFixed(6),
        pick(next, ['Yes', 'No']),
        pick(next, ['Basic', 'Extended', 'Premium']),
        `${1 + Math.floor(next() * 2)}/${1 + Math.floor(next() * 28)}/11`,
        pick(next, ['F', 'M']),
        Math.floor(next() * 100_000),
        (next() * 1_000).toFixed(1),
        pick(next, ['Yes', 'No']),
        (2_000 + next() * 9_000).toFixed(10),
      ].join(','),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Imitates card payments that a program wrote: booleans, vectors, nulls, times, own ids. */
export function fraudJsonl(rows: number, seed = 1): string {
  const next = seededNumbers(seed);
  const lines: string[] = [];
  for (let row = 0; row < rows; row += 1) {
    const isFraud = next() < 0.05;
    const second = new Date(Date.UTC(2026, 2, 1) + row * 1_000);
    lines.push(
      JSON.stringify({
        transaction_id: `00000000-0000-4000-8000-${String(row).padStart(12, '0')}`,
        processed_at: second.toISOString(),
        review_note: next() < 0.8 ? null : `„geprüft“ ${row}`,
        amount: Math.round(next() * 2_500_000) / 100,
        merchant_category: pick(next, ['grocery', 'travel', 'fuel', 'electronics', 'restaurant', 'other']),
        is_online: next() < 0.4,
        hour_of_day: second.getUTCHours(),
        merchant_embedding: [next(), next(), next(), next()],
        fraud_score: isFraud ? 0.9 : 0.1,
        is_fraud: isFraud,
      }),
    );
  }
  return `${lines.join('\n')}\n`;
}

export interface TableText {
  text: string;
  /** Line on which each row starts, counted from 1; the header comes first. */
  lines: number[];
}

export type LineEnd = '\n' | '\r\n' | '\r';

/** Writes a table in a dialect. The last row has a line end only if `endsWithLineEnd` is set. */
export function writeTable(
  table: readonly (readonly string[])[],
  how: {
    delimiter: string;
    quote: Dialect['quote'];
    lineEnd: LineEnd;
    endsWithLineEnd: boolean;
    quotesAll: boolean;
  },
): TableText {
  const { delimiter, quote, lineEnd } = how;
  let text = '';
  let line = 1;
  const lines: number[] = [];
  table.forEach((row, index) => {
    const cells = row.map((cell) => {
      if (quote === 'none') return cell;
      const needs =
        how.quotesAll ||
        cell.includes(delimiter) ||
        cell.includes(quote) ||
        /[\r\n]/.test(cell) ||
        row.length === 1;
      return needs ? quote + cell.replaceAll(quote, quote + quote) + quote : cell;
    });
    const written = cells.join(delimiter);
    lines.push(line);
    text += written;
    line += 1 + (written.match(/\r\n|\r|\n/g)?.length ?? 0);
    if (index < table.length - 1 || how.endsWithLineEnd) text += lineEnd;
  });
  return { text, lines };
}

/** Writes a large file in pieces, without holding it in memory. Returns its size in bytes. */
export function writeLargeCsv(path: string, sizeBytes: number): number {
  const piece = Buffer.from(churnCsv(5_000).split('\n').slice(1).join('\n'));
  writeFileSync(path, churnCsv(0));
  let written = Buffer.byteLength(churnCsv(0));
  while (written < sizeBytes) {
    writeFileSync(path, piece, { flag: 'a' });
    written += piece.length;
  }
  return written;
}
