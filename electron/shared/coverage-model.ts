/** A dataset against production: what is stored of both, and the stored spans that would fill the gap. */
import { z } from 'zod';
import type { SpanRef } from './dataset-model.ts';
import type { ListQuery } from './model.ts';

/** Spans of one fill at most. */
export const MOST_FILL = 1_000;
export const USUAL_FILL = 50;
/** A dimension with more values tells things apart, such as numbers of orders: it does not count unless it is chosen. */
export const MOST_COUNTED_VALUES = 200;
/** Dimensions and values of each that an answer names. */
export const MOST_DIMENSIONS = 60;
export const MOST_SHOWN_VALUES = 24;

const id = z.string().min(1).max(100);

const coverageQuestion = z.strictObject({
  datasetId: id,
  applicationId: id,
  /** Spans in this basket count as if they were items. */
  buildId: id.nullable(),
  /** Keys of the dimensions that count; null: those that are of use. */
  dimensions: z.array(z.string().max(1_000)).max(1_000).nullable(),
  /** Only spans of this type are proposed; null: of any. */
  spanType: z.string().max(500).nullable(),
  size: z.int().min(1).max(MOST_FILL),
});
export type CoverageQuestion = z.infer<typeof coverageQuestion>;

export const coverageContract = {
  /** Reads what is stored, in a thread; nothing is sent. */
  'datasets:coverage': coverageQuestion.extend({ connectionId: z.uuid() }),
} as const;

interface CoveredValue {
  value: string;
  /** Rows of production that have it; 0: not among its stored values. */
  rows: number;
  items: number;
  /** Items and picked spans after the fill. */
  afterFill: number;
}

export interface CoverageDimension {
  /** Null for the concepts of attributes. */
  entityType: string | null;
  key: string;
  title: string;
  isCounted: boolean;
  /** From 0 to 1: the part that the shares of production and dataset have in common. */
  coverage: number;
  afterFill: number;
  /** Of production, over the stored values. */
  rows: number;
  /** Times that items have a value of it. */
  items: number;
  /** The same with the basket and the fill. */
  filled: number;
  storedValues: number;
  /** Null while not known. */
  totalValues: number | null;
  oldestMs: number | null;
  /** The largest differences first; the rest is only counted in the sums. */
  values: CoveredValue[];
  otherValues: number;
}

interface StoredPart {
  stored: number;
  /** Null while not known. */
  total: number | null;
  oldestMs: number | null;
}

/** Spans of one stored list, each with its place there. */
export interface ListedSpans {
  query: ListQuery;
  spans: (SpanRef & { position: number; start_time: string | null })[];
}

export interface CoverageFill {
  /** Spans that could be proposed: stored, neither in the dataset nor in the basket. */
  candidates: number;
  picks: ListedSpans[];
  picked: number;
  /** Mean coverage of the dimensions that count: with the basket, with the picks, and with as many drawn blindly. */
  before: number | null;
  after: number | null;
  blind: number | null;
}

export interface Coverage {
  items: StoredPart & { /** Of those whose span is stored here too. */ withSpan: number };
  spans: Omit<StoredPart, 'total'> & { inDataset: number };
  /** Spans of the basket that are counted. */
  inBasket: number;
  /** Those that count first, the least covered of them first. */
  dimensions: CoverageDimension[];
  otherDimensions: number;
  /** Attributes with text of which no values are stored, the most frequent first, and how many there are. */
  unread: { names: string[]; count: number };
  /** Types that the proposed spans can have. */
  spanTypes: string[];
  fill: CoverageFill;
}
