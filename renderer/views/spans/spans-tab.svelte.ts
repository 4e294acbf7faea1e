/** State of a tab with spans, read from the parameters of the tab, and the changes that the user makes. */
import { untrack } from 'svelte';
import type { ListQuery } from '../../../electron/shared/model.ts';
import { wantedPreset } from '../../lib/moved-range.ts';
import { fieldsQuery, filterOfParam, namesOfParam, ruleFilter, spansQuery } from '../../lib/span-query.ts';
import {
  DEFAULT_PRESET,
  isBehind,
  presetOf,
  presetRange,
  rangeOfParams,
  rangeToParams,
  type SpanRange,
} from '../../lib/span-range.ts';
import type { SpanScope } from '../../lib/span-scope.ts';
import { app } from '../../state/app.svelte.ts';
import { clock } from '../../state/clock.svelte.ts';
import type { Tab } from '../../state/tabs.svelte.ts';
import type { MovingRange } from '../parts/moving-range.svelte.ts';

type SpansPart = 'tree' | 'conversation' | 'spans' | 'sessions' | 'attributes';
/** Initial display of a trace or session. */
const WHOLE = { trace: ['tree'], session: ['conversation'], span: [] } as const;
const SCOPES = ['trace', 'session', 'span'] as const;
const SHAPE_KEY = 'spans.shape';
const NEWEST_FIRST = '-start_time';

export class SpansTab {
  readonly #tab: () => Tab;

  readonly #moving: MovingRange;

  constructor(tab: () => Tab, moving: MovingRange) {
    this.#tab = tab;
    this.#moving = moving;
    // The initial range is stored, so that its cached response is found again.
    if (this.range === null) moving.start(rangeToParams(presetRange(DEFAULT_PRESET, clock.nowMs)));
  }

  get #params(): Readonly<Record<string, string>> {
    return this.#tab().params;
  }
  get applicationId(): string {
    return this.#params['application_id'] ?? '';
  }
  get part(): SpansPart {
    const { scope } = this;
    const whole: readonly SpansPart[] = WHOLE[scope?.kind ?? 'span'];
    const sessions: readonly SpansPart[] = scope === null ? ['sessions'] : [];
    const parts: readonly SpansPart[] = [...whole, 'spans', ...sessions, 'attributes'];
    return parts.find((each) => each === this.#params['part']) ?? parts[0] ?? 'spans';
  }
  get range(): SpanRange | null {
    return rangeOfParams(this.#params);
  }
  get ordering(): string {
    return this.#params['ordering'] ?? NEWEST_FIRST;
  }
  /** The filter as text in the format of the editor; null if there is none. */
  get filterText(): string | null {
    return this.#params['filter'] ?? null;
  }
  get scope(): SpanScope | null {
    const { scope, scope_id: id } = this.#params;
    const kind = SCOPES.find((each) => each === scope);
    return id === undefined || kind === undefined ? null : { kind, id };
  }
  /** Rows of two lines, or a table with a column per field: as set in this tab, otherwise as chosen last. */
  get shape(): 'rows' | 'table' {
    return (this.#params['shape'] ?? app.keep.get(SHAPE_KEY)) === 'table' ? 'table' : 'rows';
  }
  setShape(shape: 'rows' | 'table'): void {
    app.keep.set(SHAPE_KEY, shape);
    this.set({ shape });
  }
  get columns(): string[] {
    return namesOfParam(this.#params['columns'] ?? textOf(app.keep.get(this.#columnsKey)));
  }
  get #columnsKey(): string {
    return `spans.columns.${this.applicationId}`;
  }

  get #query() {
    const { applicationId, range, ordering, scope } = this;
    if (range === null || applicationId === '') return null;
    const filter =
      scope === null ? filterOfParam(this.filterText ?? '') : ruleFilter(`Span::${scope.kind}_id`, scope.id);
    return { applicationId, range, ordering, filter };
  }
  get query(): ListQuery | null {
    const query = this.#query;
    return query === null ? null : spansQuery(query);
  }
  get fieldsQuery(): ListQuery | null {
    const query = this.#query;
    return query === null ? null : fieldsQuery(query);
  }

  set(changes: Readonly<Record<string, string | null>>): void {
    const tab = untrack(this.#tab);
    const params = { ...tab.params };
    for (const [key, value] of Object.entries(changes)) {
      if (value === null || value === '') delete params[key];
      else params[key] = value;
    }
    app.tabs.update(tab.id, { params });
  }
  setRange(range: SpanRange): void {
    this.#moving.choose(rangeToParams(range));
  }
  setColumns(keys: readonly string[]): void {
    const text = JSON.stringify(keys);
    this.set({ columns: text });
    app.keep.set(this.#columnsKey, text);
  }

  /** Moves a preset range up to now. Returns false if the range stays the same and is to be read again. */
  moveToNow(): boolean {
    const { range } = this;
    const wanted = presetOf(wantedPreset(this.#params));
    if (wanted !== null) {
      this.#moving.start(rangeToParams(presetRange(wanted, clock.nowMs)));
      return true;
    }
    if (range === null || !isBehind(range, clock.nowMs)) return false;
    this.#moving.moveTo(rangeToParams(presetRange(range.id, clock.nowMs)));
    return true;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
