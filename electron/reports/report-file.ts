/** Writes a report as the text of its file, and verifies such a text. */
import { promisify } from 'node:util';
import { createInflateRaw, deflateRaw } from 'node:zlib';
import { deriveReport } from '../core/report/derive.ts';
import { type PageData, pageOf, partsOf, sealText, viewerOf } from '../core/report/page.ts';
import { VIEWER_VERSIONS } from '../core/report/viewer-versions.ts';
import { counted } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import { whole } from '../shared/pieces.ts';
import {
  REPORT_FORMAT,
  REPORT_VERSION,
  type Report,
  type ReportCell,
  type ReportCheck,
  type ReportHead,
  type ReportTable,
  reportHead,
  reportRows,
  reportSeal,
  type VerifiedReport,
} from '../shared/report-model.ts';
import { isSealed, type SigningKey, sealOf, sha256, sha256Base64 } from './seal.ts';

const deflated = promisify(deflateRaw);

/** Maximum size of unpacked rows in a report. A larger file was not written by this application. */
const MAX_ROW_BYTES = 512 * 1024 * 1024;
const MAX_FILE_CHARACTERS = 256 * 1024 * 1024;

/** The complete text of a file. The same report and key always give the same text. `pause`: called between steps. */
export async function reportText(
  report: Report,
  key: SigningKey | null,
  pause: () => Promise<void>,
): Promise<string> {
  const parts: string[] = [];
  const hashes: string[] = [];
  for (const { columns } of report.tables) {
    const values: string[] = [];
    for (const column of columns) {
      values.push(JSON.stringify(column.values));
      await pause();
    }
    const text = `[${values.join(',')}]`;
    hashes.push(sha256(text));
    parts.push(text);
  }
  const packed = await deflated(`[${parts.join(',')}]`, { level: 9 });
  const page = pageOf(
    { head: headOf(report, hashes), rows: packed.toString('base64') },
    key?.fingerprint ?? null,
  );
  return `${page.before}${sealText(sealOf(`${page.before}${page.after}`, key))}${page.after}`;
}

function headOf(report: Report, hashes: readonly string[]): ReportHead {
  const { kind, title, facts, rules, masked, figures, charts } = report;
  const tables = report.tables.map(({ name, title, rows, columns }, at) => ({
    ...{ name, title, rows, sha256: hashes[at] ?? '' },
    columns: columns.map(({ name, title, type, isDerived }) => ({ name, title, type, isDerived })),
  }));
  const head = {
    format: REPORT_FORMAT,
    version: REPORT_VERSION,
    kind,
    title,
    facts,
    rules,
    masked,
    figures,
    charts,
    tables,
  };
  // Parsing yields the same order of keys as verification.
  return reportHead.parse(head);
}

/**
 * Checks hash, signature, tables, figures and page of a file. `ownKey`: fingerprint of this computer's key; `wanted`:
 * fingerprint of the key that must have signed. Throws FILE_MALFORMED for a file that is not a report, FILE_NEWER for
 * one of a newer version.
 */
export async function verifyReport(
  text: string,
  { ownKey, wanted }: { ownKey: string | null; wanted: string | null },
): Promise<VerifiedReport> {
  const parts = text.length > MAX_FILE_CHARACTERS ? null : partsOf(text);
  if (parts === null) throw noReport('It has no data of a report.');
  const { head, rows } = dataOf(parts.data);
  const seal = reportSeal.safeParse(parsed(parts.seal)).data ?? null;
  const hash = sha256(`${parts.before}${parts.after}`);
  const isWhole = seal !== null && seal.sha256 === hash && sealText(seal) === parts.seal;
  const checks: ReportCheck[] = [
    {
      what: 'Content',
      result: isWhole ? 'ok' : 'failed',
      detail: isWhole ? `SHA-256 ${hash}` : 'The file was changed after it was made: its hash is another.',
    },
    signatureCheck(seal, isWhole, { ownKey, wanted }),
  ];
  const tables = await tablesOf(head, rows);
  checks.push(tables.check);
  if (tables.found !== null) {
    checks.push(figureCheck(head, tables.found));
    checks.push(pageCheck({ head, rows }, parts, { isWhole, fingerprint: seal?.key?.fingerprint ?? null }));
  }
  const { title, kind, facts } = head;
  const fingerprint = seal?.key?.fingerprint ?? null;
  return {
    title,
    kind,
    facts,
    fingerprint,
    checks,
    rows: head.tables.reduce((sum, table) => sum + table.rows, 0),
  };
}

function noReport(why: string): AppError {
  return new AppError('FILE_MALFORMED', `A report that spandeck wrote was expected. ${why}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports that the text is damaged.
    return null;
  }
}

function dataOf(text: string): PageData {
  const data = parsed(text);
  if (typeof data !== 'object' || data === null || !('head' in data) || !('rows' in data))
    throw noReport('Its data cannot be read.');
  const { head, rows } = data;
  if (typeof head === 'object' && head !== null && 'version' in head && Number(head.version) > REPORT_VERSION)
    throw new AppError(
      'FILE_NEWER',
      `The report is of version ${String(head.version)}; this program reads up to ${REPORT_VERSION}. Update it.`,
    );
  const read = reportHead.safeParse(head);
  if (!read.success || typeof rows !== 'string') throw noReport('Its data has another form.');
  return { head: read.data, rows };
}

type Seal = ReturnType<typeof reportSeal.parse>;

/**
 * Builds the page again and compares it. `isWhole`: whether the hash of the file is correct. If it is, a page that
 * differs only in its script and style was not changed.
 */
function pageCheck(
  data: PageData,
  parts: Pick<ReturnType<typeof pageOf>, 'before' | 'after'>,
  { isWhole, fingerprint }: { isWhole: boolean; fingerprint: string | null },
): ReportCheck {
  const what = 'Page';
  const { version } = data.head;
  const viewer = viewerOf(parts, sha256Base64);
  const again = pageOf(data, fingerprint, viewer);
  const isSame = again.before === parts.before && again.after === parts.after;
  const known = VIEWER_VERSIONS[version];
  const isKnown = known?.script === viewer.hashes.script && known.style === viewer.hashes.style;
  if (isSame && isKnown)
    return {
      ...{ what, result: 'ok' },
      detail: `It shows the data inside, with the script and the style of version ${version}.`,
    };
  if (isSame && isWhole)
    return {
      ...{ what, result: 'unknown' },
      detail: `It shows the data inside, with a script or a style that is not of version ${version}: it was written by another program.`,
    };
  return {
    ...{ what, result: 'failed' },
    detail: 'It is not the page that this version makes of the data inside: it was changed.',
  };
}

function signatureCheck(
  seal: Seal | null,
  isWhole: boolean,
  { ownKey, wanted }: { ownKey: string | null; wanted: string | null },
): ReportCheck {
  const what = 'Signature';
  const fingerprint = seal?.key?.fingerprint ?? null;
  if (seal === null || fingerprint === null)
    return {
      what,
      result: wanted === null ? 'unknown' : 'failed',
      detail: 'It is not signed: anybody could have made it.',
    };
  if (!isSealed(seal))
    return { what, result: 'failed', detail: 'The signature does not belong to the content.' };
  if (!isWhole && plain(wanted ?? fingerprint) === plain(fingerprint))
    return { what, result: 'unknown', detail: `The key ${fingerprint} signed another content than this.` };
  if (wanted !== null && plain(wanted) !== plain(fingerprint))
    return { what, result: 'failed', detail: `Signed with the key ${fingerprint}, not with ${wanted}.` };
  const whose =
    fingerprint === ownKey
      ? 'the key of this computer'
      : wanted === null
        ? 'a key that is not of this computer: compare it with the one that its author names'
        : 'the expected key';
  return { what, result: 'ok', detail: `${fingerprint}, ${whose}.` };
}

const plain = (fingerprint: string): string => fingerprint.replaceAll(/\s|^SHA256:/gi, '').toLowerCase();

/** Throws if the text is not exactly the packed rows, e.g. if further bytes follow them. */
async function unpacked(rows: string): Promise<string> {
  const packed = Buffer.from(rows, 'base64');
  const stream = createInflateRaw();
  const pieces: Buffer[] = [];
  let bytes = 0;
  stream.end(packed);
  for await (const piece of stream) {
    bytes += piece.length;
    if (bytes > MAX_ROW_BYTES) throw new Error('More rows than a report has.');
    pieces.push(piece);
  }
  if (packed.toString('base64') !== rows || stream.bytesWritten !== packed.length)
    throw new Error('Other bytes than the packed rows.');
  return Buffer.concat(pieces).toString('utf8');
}

/** The tables inside, if each has the declared form and hash. */
async function tablesOf(
  head: ReportHead,
  rows: string,
): Promise<{ check: ReportCheck; found: ReportTable[] | null }> {
  const failed = (detail: string) => ({
    check: { what: 'Rows', result: 'failed' as const, detail },
    found: null,
  });
  let text: string;
  try {
    text = await unpacked(rows);
  } catch {
    return failed('They cannot be unpacked.');
  }
  const read = reportRows.safeParse(parsed(text));
  if (!read.success || read.data.length !== head.tables.length) return failed('They have another form.');
  const found: ReportTable[] = [];
  for (const [at, { sha256: stated, columns, ...table }] of head.tables.entries()) {
    const values: ReportCell[][] = read.data[at] ?? [];
    if (values.length !== columns.length || values.some(({ length }) => length !== table.rows))
      return failed(`${table.title} does not have the stated rows and columns.`);
    if (sha256(JSON.stringify(values)) !== stated)
      return failed(`${table.title} has another hash than stated.`);
    found.push({
      ...table,
      columns: columns.map((column, place) => ({ ...column, values: values[place] ?? [] })),
    });
  }
  const detail = found.map(({ title, rows: count }) => `${title}: ${count}`).join(', ');
  return { check: { what: 'Rows', result: 'ok', detail }, found };
}

/** Computes every figure, chart and derived column again. */
function figureCheck(head: ReportHead, tables: ReportTable[]): ReportCheck {
  const what = 'Figures';
  const { kind, title, facts, rules, masked, figures, charts } = head;
  try {
    const again = whole(deriveReport({ kind, title, facts, rules, masked, tables }));
    const wrong = figures.find((figure, at) => JSON.stringify(figure) !== JSON.stringify(again.figures[at]));
    if (wrong !== undefined || figures.length !== again.figures.length)
      return { what, result: 'failed', detail: `${wrong?.label ?? 'A figure'} is not what the rows give.` };
    if (JSON.stringify(charts) !== JSON.stringify(again.charts))
      return { what, result: 'failed', detail: 'A chart is not what the rows give.' };
    if (JSON.stringify(tables) !== JSON.stringify(again.tables))
      return { what, result: 'failed', detail: 'A computed column is not what the rows give.' };
    return {
      what,
      result: 'ok',
      detail: `${counted(figures.length, 'figure')} and ${counted(charts.length, 'chart')} computed again.`,
    };
  } catch {
    // The rows have a form that this application never writes.
    return { what, result: 'failed', detail: 'The rows give no figures.' };
  }
}
