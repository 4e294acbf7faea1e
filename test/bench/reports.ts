/**
 * A report of 10,000 compared items: the time to write and to verify it, its size, the time until a browser without a
 * network shows its rows, and how many of 10,000 changes of one digit are detected.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { verifyReport } from '../../electron/reports/report-file.ts';
import { newPrivateKey, signingKey } from '../../electron/reports/seal.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { comparisonSource, fileOf, reportOf } from '../helpers/sample-report.ts';

const ITEMS = 10_000;
const CHANGES = 10_000;
const OPENED = 5;
const MB = 1_000_000;
const ANY = { ownKey: null, wanted: null };

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

export async function run(): Promise<BenchResult[]> {
  const key = signingKey(newPrivateKey());
  const source = comparisonSource(ITEMS);
  const written = await timed(() => fileOf(reportOf(source), key));
  const text = written.value;
  const again = await fileOf(reportOf(source), key);
  const verified = await timed(() => verifyReport(text, ANY));
  const failed = verified.value.checks.filter((check) => check.result !== 'ok').length;
  return [
    result('written', Math.round(written.ms), 'ms', null, `${ITEMS} items; less is better`),
    result('size', Buffer.byteLength(text) / MB, 'MB', 2, 'less is better'),
    result('made twice, different', again === text ? 0 : 1, 'files', 0, '0 is right'),
    result('verified', Math.round(verified.ms), 'ms', null, `${failed} checks failed; less is better`),
    result('opened without a network, p50', await openedMs(text), 'ms', 500, `of ${OPENED}; less is better`),
    result('changes of one digit found', await foundChanges(), 'changes', CHANGES, 'all is right'),
  ];
}

/** Median time in ms from opening the file to painted rows. */
async function openedMs(text: string): Promise<number> {
  const { launchForTests } = await import('../component/renderer-page.ts');
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-bench-report-'));
  const browser = await launchForTests();
  try {
    const file = join(folder, 'report.html');
    writeFileSync(file, text);
    const times: number[] = [];
    for (let at = 0; at < OPENED; at += 1) {
      const context = await browser.newContext({ offline: true });
      const page = await context.newPage();
      await page.goto(pathToFileURL(file).href);
      await page.waitForSelector('.rows tbody tr td');
      times.push(await page.evaluate(() => performance.getEntriesByType('mark').at(-1)?.startTime ?? 0));
      await context.close();
    }
    return Math.round(times.toSorted((one, other) => one - other)[Math.floor(OPENED / 2)] ?? Number.NaN);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

/** The number of changed digits that are detected in a small report. Each verification computes everything again. */
async function foundChanges(): Promise<number> {
  const key = signingKey(newPrivateKey());
  const text = await fileOf(reportOf(comparisonSource(12)), key);
  const digits = [...text.matchAll(/\d/g)].map(({ index }) => index);
  const next = seededNumbers(35);
  let found = 0;
  for (let change = 0; change < CHANGES; change += 1) {
    const at = digits[Math.floor(next() * digits.length)] ?? 0;
    const digit = (Number(text[at]) + 1 + Math.floor(next() * 9)) % 10;
    const changed = `${text.slice(0, at)}${digit}${text.slice(at + 1)}`;
    const isFound = await verifyReport(changed, ANY).then(
      ({ checks }) => checks.some((check) => check.result === 'failed'),
      () => true,
    );
    if (isFound) found += 1;
  }
  return found;
}
