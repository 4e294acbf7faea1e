/** A chart as it is being made. What is not saved is kept as a draft. */

import { readBody, type Subject } from '../../electron/shared/chart-question.ts';
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
  /** What the chart is about before it has a query. */
  subject = $state.raw<Subject>(NOTHING);

  readonly parts = $derived(readBody(this.body));
  readonly #savedOf: () => SavedChart | null;

  /** `savedOf`: the chart as it is saved now, where it is. */
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

  /** Becomes this chart. */
  take(chart: Pick<SavedChart, 'body' | 'right' | 'about'>): void {
    this.body = chart.body;
    this.right = chart.right;
    this.about = chart.about;
    this.subject = this.parts.subject;
  }

  /** Reads a definition as text; answers what is wrong with it, or null. */
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

  /** A metric that differs from the first one gets an axis of its own. */
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

  /** What is not saved; null where there is nothing. */
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

  /** Revert to saved; empty where nothing is. */
  reset(): void {
    this.take(this.#savedOf() ?? { body: newBody(NOTHING), right: [], about: '' });
  }

  /** As it is kept. */
  params(): Pick<DraftParams, 'body' | 'right' | 'about'> {
    return { body: JSON.stringify(this.body), right: this.right.join(','), about: this.about };
  }
}
