/** The result of a gate as text, Markdown and JUnit. Pure. */
import type { GateDecision, GateResult, GateRule } from '../core/statistics/gate.ts';
import { counted } from '../shared/count-text.ts';
import { differenceText, rangeText } from '../shared/figure-words.ts';
import type { Interval } from '../shared/wilson.ts';

/** One rule applied to one score. */
export interface GateCheck {
  score: string;
  /** The rule as a person typed it. */
  rule: string;
  parsed: GateRule;
  /** The numbers are shares and are written in percent. */
  isShare: boolean;
  /** Items have labels in both runs, and no numbers. */
  hasLabels: boolean;
  decision: GateDecision;
}

const RESULT_WORDS: Readonly<Record<GateResult, string>> = {
  passed: 'passed',
  failed: 'failed',
  unsure: 'cannot tell',
  empty: 'nothing to judge',
};

export function resultWords(result: GateResult): string {
  return RESULT_WORDS[result];
}

/**
 * One check as text, e.g. `quality, worse > 2 %: failed. Worse by 5.1 points, 95 % sure: worse by 3 to 7.2 points; the
 * limit is 2 points. 120 items.`
 */
export function checkText({ score, rule, ...check }: GateCheck): string {
  return `${score}, ${rule}: ${RESULT_WORDS[check.decision.result]}. ${reasonText(check)}`;
}

function reasonText({ parsed, isShare, hasLabels, decision }: Omit<GateCheck, 'score' | 'rule'>): string {
  const { result, value, interval, limit, items, more } = decision;
  if (value === null || limit === null)
    return items === 0
      ? `No item has a number for this score in both.${hasLabels ? ' Its values are labels, which have no mean: only “missing” can be judged.' : ''}`
      : `The numbers of ${counted(items, 'item')} are too far apart for a difference.`;
  const scale = isShare || parsed.form === 'missing' ? 100 : 1;
  const unit = scale === 1 ? '' : parsed.form === 'worse' ? ' points' : ' %';
  const write = (one: number) => `${differenceText(one * scale)}${unit}`;
  if (parsed.form === 'missing')
    return `Missing: ${write(value)} of ${counted(items, 'item')}; the limit is ${write(limit)}.`;
  const size =
    parsed.form !== 'worse'
      ? `Now ${write(value)}`
      : value === 0
        ? 'No difference'
        : `${value > 0 ? 'Worse' : 'Better'} by ${write(Math.abs(value))}`;
  const range =
    interval === null
      ? ''
      : interval[0] === interval[1]
        ? ', the same in every item'
        : `, 95 % sure: ${parsed.form === 'worse' ? lossText(interval, scale, unit) : `${rangeText(interval[0] * scale, interval[1] * scale)}${unit}`}`;
  const next =
    result !== 'unsure'
      ? ''
      : more === null
        ? ' It lies too near to the limit for any number of items.'
        : ` About ${counted(more, 'more item')} would tell.`;
  return `${size}${range}; the limit is ${write(limit)}. ${counted(items, 'item')}.${next}`;
}

/**
 * An interval in words: `worse by 1 to 3 points`, `better by 1 to 3 points`, or `from 1 better to 3 worse, in points`.
 */
function lossText([low, high]: Interval, scale: number, unit: string): string {
  if (low >= 0) return `worse by ${rangeText(low * scale, high * scale)}${unit}`;
  if (high <= 0) return `better by ${rangeText(-high * scale, -low * scale)}${unit}`;
  const range = `from ${differenceText(-low * scale)} better to ${differenceText(high * scale)} worse`;
  return unit === '' ? range : `${range}, in${unit}`;
}

export interface GateAnswer {
  before: string;
  after: string;
  result: GateResult;
  checks: readonly GateCheck[];
}

/** The result in Markdown, for a comment on a pull request. */
export function gateMarkdown({ before, after, result, checks }: GateAnswer): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
  return [
    `### Gate: ${RESULT_WORDS[result]}`,
    '',
    `${cell(before)} → ${cell(after)}`,
    '',
    '| score | rule | result | reason |',
    '|---|---|---|---|',
    ...checks.map(
      (check) =>
        `| ${cell(check.score)} | ${cell(check.rule)} | ${RESULT_WORDS[check.decision.result]} | ${cell(reasonText(check))} |`,
    ),
    '',
  ].join('\n');
}

/**
 * The result as JUnit: a failed rule is a failure, a rule without a decision is skipped, and a rule that cannot be
 * evaluated is an error.
 */
export function gateJunit({ before, after, checks }: GateAnswer): string {
  const count = (result: GateResult) => checks.filter(({ decision }) => decision.result === result).length;
  const kinds = { passed: null, failed: 'failure', unsure: 'skipped', empty: 'error' } as const;
  const cases = checks.flatMap((check) => {
    const kind = kinds[check.decision.result];
    const head = `  <testcase classname="${xml(check.score)}" name="${xml(check.rule)}"`;
    return kind === null
      ? [`${head}/>`]
      : [`${head}>`, `    <${kind} message="${xml(reasonText(check))}"/>`, '  </testcase>'];
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${xml(`spandeck gate: ${before} → ${after}`)}" tests="${checks.length}" failures="${count('failed')}" skipped="${count('unsure')}" errors="${count('empty')}">`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n');
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Control characters cannot be written in XML 1.0. */
function xml(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (character) => ESCAPED[character] ?? character)
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
