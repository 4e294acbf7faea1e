/**
 * Builds the HTML page of a report. It shows figures and charts without a script, and the rows of its tables with a
 * script. Pure.
 */
import type { ReportFact, ReportFigure, ReportHead, ReportSeal } from '../../shared/report-model.ts';
import { printable } from '../../shared/untrusted-text.ts';
import { elementAt } from '../element-at.ts';
import { chartMarkup } from './chart-markup.ts';
import { escaped } from './escaped.ts';
import { VIEWER_HASHES, VIEWER_SCRIPT, VIEWER_STYLE } from './viewer-text.ts';

const DATA = '<script type="application/json" id="report">';
const SEAL = '<script type="application/json" id="seal">';
const END = '</script>';
const STYLE = '<style>';
const SCRIPT = '\n<script>';

/** Script and style of a page, with the base64 of their SHA-256 hashes. */
interface Viewer {
  script: string;
  style: string;
  hashes: { script: string; style: string };
}
const OWN_VIEWER: Viewer = { script: VIEWER_SCRIPT, style: VIEWER_STYLE, hashes: VIEWER_HASHES };

/** Allows only the page's own script and style. */
const policyOf = ({ hashes }: Viewer): string =>
  `default-src 'none'; script-src 'sha256-${hashes.script}'; style-src 'sha256-${hashes.style}'; base-uri 'none'; form-action 'none'`;

/** The data of a page: the head, and the packed rows as base64. */
export interface PageData {
  head: ReportHead;
  rows: string;
}

/** The parts of a page before and after the seal, whose hash covers both. */
interface SealedPage {
  before: string;
  seal: string;
  after: string;
}

/** The page without its seal. `fingerprint`: that of the key that will sign it; null if it is not signed. */
export function pageOf(
  data: PageData,
  fingerprint: string | null,
  viewer: Viewer = OWN_VIEWER,
): Omit<SealedPage, 'seal'> {
  const { head } = data;
  const titles = nameList(head.tables.map(({ title }) => title));
  const before = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policyOf(viewer))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(head.title)}</title>
${STYLE}${viewer.style}</style>
</head>
<body>
<main>
<header>
<h1>${escaped(head.title)}</h1>
${factList(factsOf(head), signatureOf(fingerprint))}
</header>
${figureList(head.figures)}
${head.charts.map(chartMarkup).join('\n')}
<div id="tables">${titles === '' ? '' : `<p>The rows of ${escaped(titles)} need scripts, which this browser has switched off.</p>`}</div>
</main>
${DATA}${inScript({ head, rows: data.rows })}${END}
${SEAL}`;
  return { before, after: `${END}${SCRIPT}${viewer.script}</script>\n</body>\n</html>\n` };
}

export const sealText = (seal: ReportSeal): string => inScript(seal);

/** The parts of a file; null if it is not a report. */
export function partsOf(text: string): (SealedPage & { data: string }) | null {
  const [beforeData, data, ...others] = text.split(DATA);
  const [inside, ...further] = data?.split(SEAL) ?? [];
  const [seal, ...rest] = further[0]?.split(END) ?? [];
  if (beforeData === undefined || inside === undefined || seal === undefined) return null;
  if (others.length > 0 || further.length !== 1 || rest.length < 1) return null;
  const json = elementAt(inside.split(END), 0);
  const from = text.indexOf(SEAL) + SEAL.length;
  return { before: text.slice(0, from), seal, after: text.slice(from + seal.length), data: json };
}

/**
 * Script and style of a page, with their hashes computed by `hashOf`. They may be of another version of this program.
 */
export function viewerOf(
  { before, after }: Pick<SealedPage, 'before' | 'after'>,
  hashOf: (text: string) => string,
): Viewer {
  const style = before.split(STYLE)[1]?.split('</style>')[0] ?? '';
  const script = after.split(SCRIPT)[1]?.split(END)[0] ?? '';
  return { script, style, hashes: { script: hashOf(script), style: hashOf(style) } };
}

/** JSON for a script element. It can neither end the script nor begin a comment in it. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const factsOf = ({ facts, masked }: ReportHead): ReportFact[] => [
  ...facts,
  ...(masked.length === 0 ? [] : [{ label: 'Masked', text: nameList(masked) }]),
];

const signatureOf = (fingerprint: string | null): ReportFact => ({
  label: 'Signature',
  text:
    fingerprint === null
      ? 'Not signed. “spandeck verify FILE” computes the figures again.'
      : `Signed with the key ${fingerprint}. “spandeck verify FILE” checks it and computes the figures again.`,
});

const factParts = ({ label, text }: ReportFact): string =>
  `<dt>${escaped(label)}</dt><dd>${escaped(printable(text))}</dd>`;

/** The signature has a class of its own, because it is not printed. */
const factList = (facts: readonly ReportFact[], signature: ReportFact): string =>
  `<dl class="facts">${facts.map((each) => `<div>${factParts(each)}</div>`).join('')}<div class="signature">${factParts(signature)}</div></dl>`;

function figureList(figures: readonly ReportFigure[]): string {
  if (figures.length === 0)
    return '<p class="none">No figures: the fields that they are computed from were not chosen, or there are no rows.</p>';
  const list = figures.map(
    ({ label, value, detail }) =>
      `<div><dt>${escaped(label)}</dt><dd><strong>${escaped(value)}</strong>${detail === '' ? '' : `<span>${escaped(detail)}</span>`}</dd></div>`,
  );
  return `<section><h2>Figures</h2><dl class="figures">${list.join('')}</dl></section>`;
}

const nameList = (names: readonly string[]): string => names.join(', ');
