/** A chart that is being edited. Unsaved changes are stored as a draft. */

import { readBody, type Subject } from '../../electron/shared/chart-query.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';
import type { Json, JsonObject } from '../../electron/shared/json-fields.ts';
import type { MetricChoice } from '../../electron/shared/metrics.ts';
import {
  addQuery,
  newBody,
  removeQuery,
  setComparison,
  setFilters,
  setMetric,
  setQuery,
  withSubject,
} from '../lib/monitoring/chart-body.ts';
import { parseBody } from '../lib/monitoring/chart-text.ts';
import { isSameChart, type SavedChart } from './saved-charts.svelte.ts';

const NOTHING: Subject = { kind: 'model', projectId: '', modelId: '' };

interface DraftParams {
  chartId: string;
  body: string;
  right: string;
  about: string;
}

function bodyFrom(text: string): JsonObject | null {
  try {
    const value = parseExact(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : null;
  } catch {
    return null;
  }
}

export class ChartDraft {
  body = $state.raw<JsonObject>(newBody(NOTHING));
  right = $state.raw<readonly string[]>([]);
  /** Name of the model or application. */
  about = $state('');
  /** Subject of the chart, used while it has no query. */
  subject = $state.raw<Subject>(NOTHING);

  readonly parts = $derived(readBody(this.body));
  readonly #savedOf: () => SavedChart | null;

  /** `savedOf`: returns the chart as it is saved now, if it is. */
  constructor(params: Partial<DraftParams>, savedOf: () => SavedChart | null) {
    this.#savedOf = savedOf;
    const saved = savedOf();
    const body = params.body === undefined ? null : bodyFrom(params.body);
    this.take(
      body === null
        ? (saved ?? { body: newBody(NOTHING), right: [], about: '' })
        : {
            body,
            right: (params.right ?? '').split(',').filter((key) => key !== ''),
            about: params.about ?? '',
          },
    );
  }

  /** Edits this chart from now on. */
  take(chart: Pick<SavedChart, 'body' | 'right' | 'about'>): void {
    this.body = chart.body;
    this.right = chart.right;
    this.about = chart.about;
    this.subject = this.parts.subject;
  }

  /** Parses a definition from text. Returns the problem, or null if there is none. */
  takeText(text: string): string | null {
    const parsed = parseBody(text);
    if (parsed.problem !== null) return parsed.problem;
    this.take({ body: parsed.body, right: [...this.right], about: this.about });
    return null;
  }

  setSubject(subject: Subject, about: string): void {
    this.subject = subject;
    this.about = about;
    this.body = withSubject(this.body, subject);
    this.right = [];
  }

  /** Adds a metric. If it differs from the first one, it gets the other axis. */
  add(metric: MetricChoice): void {
    const key = crypto.randomUUID();
    const [first] = this.parts.queries;
    this.body = addQuery(this.body, key, this.subject, metric);
    if (first !== undefined && first.metric !== metric.id) this.right = [...this.right, key];
  }

  remove(key: string): void {
    this.body = removeQuery(this.body, key);
    this.right = this.right.filter((each) => each !== key);
  }

  setMetric(key: string, metric: MetricChoice): void {
    this.body = setMetric(this.body, key, metric);
  }

  setQuery(key: string, change: { [field: string]: Json | undefined }): void {
    this.body = setQuery(this.body, key, change);
  }

  setAxis(key: string, axis: 'left' | 'right'): void {
    const others = this.right.filter((each) => each !== key);
    this.right = axis === 'right' ? [...others, key] : others;
  }

  setFilters(change: { [field: string]: Json | undefined }): void {
    this.body = setFilters(this.body, change);
  }

  setComparison(comparison: string): void {
    this.body = setComparison(this.body, comparison);
  }

  isChangedFrom(saved: SavedChart | null): boolean {
    if (saved === null) return this.parts.queries.length > 0;
    return !isSameChart({ body: this.body, right: [...this.right] }, saved);
  }

  /** The unsaved state; null if there are no changes. */
  get draft(): JsonObject | null {
    return this.isChangedFrom(this.#savedOf()) ? { ...this.params() } : null;
  }

  takeDraft(value: { [field: string]: unknown }): void {
    const body = typeof value['body'] === 'string' ? bodyFrom(value['body']) : null;
    if (body === null) return;
    const right = typeof value['right'] === 'string' ? value['right'] : '';
    const about = typeof value['about'] === 'string' ? value['about'] : '';
    this.take({ body, right: right.split(',').filter((key) => key !== ''), about });
  }

  /** Reverts to the saved chart, or to an empty one. */
  reset(): void {
    this.take(this.#savedOf() ?? { body: newBody(NOTHING), right: [], about: '' });
  }

  /** The chart as parameters for its tab. */
  params(): Pick<DraftParams, 'body' | 'right' | 'about'> {
    return { body: JSON.stringify(this.body), right: this.right.join(','), about: this.about };
  }
}
