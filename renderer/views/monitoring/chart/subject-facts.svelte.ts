/**
 * Metrics, baselines, alert rules and columns of models and applications, for charts about them. Each is opened once
 * per tab when something needs it; the stored answer is shown first.
 */
import { untrack } from 'svelte';
import { type RuleParts, readRule } from '../../../../electron/shared/alert-rule.ts';
import type { Subject } from '../../../../electron/shared/chart-query.ts';
import { objectOf, objectsOf, textOf, textsOf } from '../../../../electron/shared/json-fields.ts';
import { type MetricChoice, readMetrics } from '../../../../electron/shared/metrics.ts';
import type { ListQuery } from '../../../../electron/shared/model.ts';
import { recordTitle, textField } from '../../../lib/records.ts';
import { app } from '../../../state/app.svelte.ts';
import type { ListModel } from '../../../state/list-state.svelte.ts';
import type { RecordModel } from '../../../state/record-state.svelte.ts';
import { RuleSamples } from '../../../state/rule-samples.svelte.ts';
import { joinFilters } from '../../parts/listing.ts';
import { listOfTab, recordOfTab } from '../../parts/tab-models.ts';

const idOf = (subject: Subject): string =>
  subject.kind === 'model' ? subject.modelId : subject.applicationId;

const isOfEvaluator = ({ type }: MetricChoice): boolean => type === 'evaluator';

/** Maximum number of rows of a list that are read for a board. */
const MAX_ROWS = 100;

export class SubjectFacts {
  readonly #tabId: string;
  readonly #metrics = new WeakMap<object, MetricChoice[]>();
  readonly #rules = new WeakMap<object, RuleParts>();

  constructor(tabId: string) {
    this.#tabId = tabId;
  }

  metadata(subject: Subject): RecordModel | null {
    const id = idOf(subject);
    return id === '' ? null : recordOfTab(this.#tabId, `metrics.${id}`);
  }

  /**
   * The metric of a query in a chart about this subject; undefined while it is unknown, or if the query is about
   * another model.
   */
  metricOf(subject: Subject, query: { metric: string; modelId: string }): MetricChoice | undefined {
    if (subject.kind === 'model' && query.modelId !== '' && query.modelId !== subject.modelId)
      return undefined;
    return this.metrics(subject).find(({ id }) => id === query.metric);
  }

  /** The metrics of a subject; empty while they are unknown. */
  metrics(subject: Subject): readonly MetricChoice[] {
    const record = this.metadata(subject)?.record;
    if (record === undefined || record === null) return [];
    let found = this.#metrics.get(record);
    if (found === undefined) {
      found = readMetrics(record);
      this.#metrics.set(record, found);
    }
    return found;
  }

  /** A sentence for each metric whose values come from a sample of the traces, according to its evaluator rule. */
  sampleNotes(subject: Subject, queries: readonly { metric: string; modelId: string }[]): string[] {
    if (subject.kind === 'model') return [];
    const notes = queries.flatMap((query) => {
      const metric = this.metricOf(subject, query);
      if (metric === undefined || !isOfEvaluator(metric)) return [];
      const note = this.#samples.noteOf(subject.applicationId, { output: metric.id });
      return note === '' ? [] : [`${metric.name} ${note}`];
    });
    return [...new Set(notes)];
  }

  /** Reads the evaluator rules if a metric needs them. Must be called in an effect. */
  keepSamples(subject: Subject, queries: readonly { metric: string; modelId: string }[]): void {
    const isNeeded = queries.some((query) => {
      const metric = this.metricOf(subject, query);
      return metric !== undefined && isOfEvaluator(metric);
    });
    if (subject.kind === 'application' && isNeeded) this.#samples.keepRead();
  }

  get #samples(): RuleSamples {
    const make = () => new RuleSamples(listOfTab(this.#tabId, 'evaluator-rules'));
    return app.tabs.hold(this.#tabId, 'rule samples', make);
  }

  rulesList(modelId: string): ListModel {
    return listOfTab(this.#tabId, `rules.${modelId}`);
  }

  rules(modelId: string): readonly RuleParts[] {
    if (modelId === '') return [];
    return this.rulesList(modelId)
      .sample(MAX_ROWS)
      .map((row) => {
        const rule = this.#rules.get(row) ?? readRule(row);
        this.#rules.set(row, rule);
        return rule;
      })
      .filter((rule) => rule.modelId === modelId);
  }

  baselinesList(modelId: string): ListModel {
    return listOfTab(this.#tabId, `baselines.${modelId}`);
  }

  baselines(modelId: string): readonly { id: string; name: string }[] {
    return this.baselinesList(modelId)
      .sample(MAX_ROWS)
      .map((row) => ({ id: textField(row, 'id'), name: recordTitle(row) }));
  }

  #schema(subject: Subject): RecordModel | null {
    return subject.kind === 'model' && subject.modelId !== ''
      ? recordOfTab(this.#tabId, `model.${subject.modelId}`)
      : null;
  }

  /** Known values of a column; empty until `openSchema` was called. */
  categories(subject: Subject, column: string): readonly string[] {
    const schema = objectOf(this.#schema(subject)?.record, 'schema');
    const found = objectsOf(schema, 'columns').find(
      (each) => textOf(each, 'name') === column || textOf(each, 'id') === column,
    );
    return textsOf(found, 'categories');
  }

  /** Opens the schema of a model. An application has none. */
  openSchema(subject: Subject): void {
    const record = this.#schema(subject);
    if (record === null || untrack(() => record.phase) !== 'closed') return;
    void record.open({ operation: 'models.get', path: { model_id: idOf(subject) }, query: {} });
  }

  /** Opens the metrics of a subject. */
  openMetrics(subject: Subject): void {
    const record = this.metadata(subject);
    if (record === null || untrack(() => record.phase) !== 'closed') return;
    void record.open(
      subject.kind === 'model'
        ? { operation: 'models.metrics', path: { model_id: subject.modelId }, query: {} }
        : {
            operation: 'applications.metrics',
            path: { application_id: subject.applicationId },
            query: { source: 'GENAI_CHARTS' },
          },
    );
  }

  openRules(modelId: string): void {
    if (modelId === '') return;
    const filter = joinFilters([{ field: 'model_id', value: modelId }], null) ?? '';
    this.#open(this.rulesList(modelId), { operation: 'alert-rules.list', path: {}, query: { filter } });
  }

  openBaselines(modelId: string): void {
    const query = { operation: 'models.baselines', path: { model_id: modelId }, query: {} };
    this.#open(this.baselinesList(modelId), query);
  }

  #open(list: ListModel, query: ListQuery): void {
    if (untrack(() => list.phase) === 'closed') void list.open(query);
  }
}

export const factsOfTab = (tabId: string): SubjectFacts =>
  app.tabs.hold(tabId, 'facts', () => new SubjectFacts(tabId));
