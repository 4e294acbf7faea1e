/** A dry run of an evaluator rule over stored spans: its request, its result and their sentences. Pure. */
import { counted, numberText } from './count-text.ts';
import { cutText } from './cut-text.ts';
import { isRawNumber, writeExact } from './exact-json.ts';
import { jsonValue } from './json-body.ts';
import * as z from './zod.ts';

const MAX_RATE_TEXT = 200;

/** The parts of a rule that decide which spans it scores (SERVICE.md F14). */
export const ruleDraft = z.strictObject({
  applicationId: z.string().min(1).max(200),
  /** The filters of a rule's record; null or empty ones select every span. */
  filters: jsonValue,
  /** Maps an input of the evaluator to the path of an attribute; a path that is not a text finds nothing. */
  mappedInputKeys: z.record(z.string().max(500), jsonValue),
  /** A number, or the original text if it cannot be read as a number. */
  samplingRate: z.union([z.number(), z.string().max(500)]).nullable(),
});
export type RuleDraft = z.infer<typeof ruleDraft>;

export interface DryRunInput {
  name: string;
  path: string;
  /** The stored keys under which the attribute was found, most frequent first. */
  foundAs: string[];
  /** Number of matching spans that lack the attribute. */
  missing: number;
}

export interface DryRunRow {
  spanId: string;
  traceId: string;
  name: string;
  startTime: string | null;
  /** Texts of the inputs, in the order of `inputs`; null if an input is missing. */
  inputs: (string | null)[];
}

export interface RuleDryRun {
  /** Number of stored spans of the application that were examined. */
  spans: number;
  /** More spans are stored than were examined. */
  isCut: boolean;
  matching: number;
  /** Number of traces of the matching spans. */
  traces: number;
  /** Filters that this version does not understand and did not apply, as the service sent them. */
  ignoredFilters: string[];
  inputs: DryRunInput[];
  /** Number of matching spans that lack an input. */
  incomplete: number;
  samplingRate: RuleDraft['samplingRate'];
  /** The first matching spans. */
  rows: DryRunRow[];
}

/** A share from 0 to 1 as text, e.g. `10 %`, `0.5 %`. */
export const rateText = (rate: number): string => `${numberText(Number((rate * 100).toPrecision(3)))} %`;

/** The rate as a share from 0 to 1; null if it is not one. */
export const sampleShare = (rate: unknown): number | null =>
  typeof rate === 'number' && rate >= 0 && rate <= 1 ? rate : null;

/**
 * How many of the matching traces the service scores. Public sources disagree whether it samples traces or spans
 * (SERVICE.md F14).
 */
export function samplingSentence({
  samplingRate: rate,
  traces,
}: Pick<RuleDryRun, 'samplingRate' | 'traces'>): string {
  if (rate === null) return 'The rule does not say whether it takes a sample.';
  const share = sampleShare(rate);
  if (share === null) {
    const came = typeof rate === 'number' ? numberText(rate) : rate;
    return `The sampling rate of the rule is not a share from 0 to 1 (${came}): how much it takes is not known.`;
  }
  if (share === 1) return 'The rule takes everything that matches.';
  const about = `The rule takes a ${rateText(share)} sample of what matches`;
  return traces === 0
    ? `${about}.`
    : `${about}: about ${numberText(Math.round(share * traces))} of ${counted(traces, 'trace')}.`;
}

/** The result as sentences, the most important first. */
export function dryRunSentences(run: RuleDryRun): string[] {
  if (run.spans === 0)
    return ['No spans of this application are stored: read some in Spans, or keep the application.'];
  const share = `${numberText(run.matching)} of ${counted(run.spans, 'stored span')}`;
  const lacking = run.inputs.length === 0 || run.matching === 0 ? [] : [incompleteSentence(run)];
  return [
    `${share} ${run.matching === 1 ? 'matches' : 'match'}, in ${counted(run.traces, 'trace')}.`,
    ...(run.isCut ? ['More spans are stored; they were not looked at.'] : []),
    ...run.ignoredFilters.map(
      (filter) =>
        `Not applied, because the form of this filter is not published: ${filter}. Fewer spans may match.`,
    ),
    ...lacking,
    samplingSentence(run),
  ];
}

function incompleteSentence({ incomplete, matching }: RuleDryRun): string {
  if (incomplete === 0) return 'Each of them has all inputs.';
  return incomplete === matching
    ? 'None of them has all inputs.'
    : `${numberText(incomplete)} of them ${incomplete === 1 ? 'lacks' : 'lack'} an input.`;
}

/** The draft of a stored rule; null if its record lacks a field that a draft needs. */
export function draftOfRule(record: Readonly<Record<string, unknown>>): RuleDraft | null {
  const { application, application_id: id, mapped_input_keys: keys, filters, sampling_rate: rate } = record;
  const applicationId = isRecord(application) ? application['id'] : id;
  if (typeof applicationId !== 'string' || applicationId === '') return null;
  return {
    applicationId,
    filters: filters ?? null,
    mappedInputKeys: isRecord(keys) ? { ...keys } : {},
    samplingRate: rate === undefined || rate === null ? null : readRate(rate),
  };
}

/** Reads a sampling rate, also from the text of a number. */
function readRate(rate: unknown): number | string {
  const text = typeof rate === 'string' ? rate : writeExact(rate);
  const read = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(read) ? read : cutText(text, MAX_RATE_TEXT);
}

/**
 * The first problem of a typed rule, e.g. `expected a sampling rate from 0 to 1, got 10`; null if it can be tried. A
 * rule from the service is tried without this check.
 */
export function ruleProblem(record: Readonly<Record<string, unknown>>): string | null {
  const { mapped_input_keys: keys = null, sampling_rate: rate = null } = record;
  const got = (value: unknown) => `got ${cutText(writeExact(value), MAX_RATE_TEXT)}`;
  if (keys !== null && !isRecord(keys)) return `expected mapped_input_keys as an object, ${got(keys)}`;
  for (const [name, path] of Object.entries(keys ?? {}))
    if (typeof path !== 'string') return `expected the path of the input ${name} as a text, ${got(path)}`;
  if (rate !== null && (typeof rate === 'string' || sampleShare(readRate(rate)) === null))
    return `expected a sampling rate from 0 to 1, ${got(rate)}`;
  return null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
