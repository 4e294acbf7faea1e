/** A dataset compared with production, using stored data of both, and the stored spans that would fill the gap. */
import type { SpanRef } from './dataset-model.ts';
import { AppError } from './errors.ts';
import type { ListQuery } from './model.ts';
import * as z from './zod.ts';

/** Maximum spans of one fill. */
export const MAX_FILL = 1_000;
export const USUAL_FILL = 50;
/**
 * Maximum values of a dimension that counts without being chosen. One with more values identifies single records, such
 * as order numbers.
 */
export const MAX_COUNTED_VALUES = 200;
/** Maximum dimensions in an answer, and maximum values for each. */
export const MAX_DIMENSIONS = 60;
export const MAX_SHOWN_VALUES = 24;
export const MAX_ALL_VALUES = 2_000;

const id = z.string().min(1).max(100);

export const coverageQuery = z.strictObject({
  datasetId: id,
  applicationId: id,
  /** Spans in this basket count as items. */
  buildId: id.nullable(),
  /** Keys of the dimensions that count; null: all useful ones. */
  dimensions: z.array(z.string().max(1_000)).max(1_000).nullable(),
  /** Only spans of this type are suggested; null: any type. */
  spanType: z.string().max(500).nullable(),
  size: z.int().min(1).max(MAX_FILL),
  /** Up to MAX_ALL_VALUES values of each dimension instead of the MAX_SHOWN_VALUES with the largest differences. */
  hasAllValues: z.boolean().optional(),
});
export type CoverageQuery = z.infer<typeof coverageQuery>;

export const coverageContract = {
  /** Reads stored data in a thread; nothing is sent. */
  'datasets:coverage': coverageQuery.extend({ connectionId: z.uuid() }),
} as const;

interface CoveredValue {
  value: string;
  /** Production rows with this value; 0: not among the stored values. */
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
  /** From 0 to 1: overlap of the distributions of production and dataset. */
  coverage: number;
  afterFill: number;
  /** Production rows, over the stored values. */
  rows: number;
  /** Number of values of this dimension in items. */
  items: number;
  /** Number of values of this dimension in items, the basket and the fill. */
  filled: number;
  storedValues: number;
  /** Null while unknown. */
  totalValues: number | null;
  oldestMs: number | null;
  /** The largest differences first; other values are only included in the sums. */
  values: CoveredValue[];
  otherValues: number;
}

interface StoredPart {
  stored: number;
  /** Null while unknown. */
  total: number | null;
  oldestMs: number | null;
}

/** Spans of one stored list, each with its position there. */
export interface ListedSpans {
  query: ListQuery;
  spans: (SpanRef & { position: number; start_time: string | null })[];
}

export interface CoverageFill {
  /** Number of candidate spans: stored, and neither in the dataset nor in the basket. */
  candidates: number;
  picks: ListedSpans[];
  picked: number;
  /**
   * Mean coverage of the counted dimensions: with the basket, with the picks, and with the same number of random spans.
   */
  before: number | null;
  after: number | null;
  blind: number | null;
}

/** The error of a dataset whose items were never read, which would seem to cover nothing; null for any other. */
export function unreadItemsError({ items }: Pick<Coverage, 'items'>, dataset: string): AppError | null {
  if (items.stored > 0 || items.total !== null) return null;
  return new AppError('NOT_STORED', `No items of ${dataset} are stored, so there is nothing to compare.`, {
    nextStep: 'Open its items in the window, or read them with: items DATASET --all',
  });
}

export interface Coverage {
  /** `fromSpans`: number of items made from spans. `withSpan`: number of items whose span is stored here, too. */
  items: StoredPart & { fromSpans: number; withSpan: number };
  spans: Omit<StoredPart, 'total'> & { inDataset: number };
  /** Number of counted spans in the basket. */
  inBasket: number;
  /** Counted dimensions first, the least covered of them first. */
  dimensions: CoverageDimension[];
  otherDimensions: number;
  /** Text attributes without stored values, the most frequent first, and their number. */
  unread: { names: string[]; count: number };
  /** Span types available for suggestions. */
  spanTypes: string[];
  fill: CoverageFill;
}

/**
 * Whether the values of the items are known. Of an item made from a span that is not stored, only its own fields are
 * known, so a value that no item has may be in the dataset nevertheless.
 */
export const isCoverageKnown = ({ items }: Pick<Coverage, 'items'>, dimension: CoverageDimension): boolean =>
  dimension.items > 0 || items.withSpan > 0 || items.fromSpans === 0;
