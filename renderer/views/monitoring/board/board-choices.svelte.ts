/** The boards to choose from: one for each model and application, and the user's own. */
import { untrack } from 'svelte';
import { readRule } from '../../../../electron/shared/alert-rule.ts';
import type { Freshness } from '../../../../electron/shared/model.ts';
import type { SavedView } from '../../../../electron/shared/saved-view.ts';
import { isObject, recordTitle, textField } from '../../../lib/records.ts';
import { app } from '../../../state/app.svelte.ts';
import type { Row } from '../../../state/list-state.svelte.ts';
import { type BoardChoice, boardOfModel, boardTitle, isOwnBoard } from '../../parts/board-routes.ts';
import { listOfTab } from '../../parts/tab-models.ts';

const LAST_KEY = 'board.last';
const MAX_ROWS = 100;

function choiceOfApplication(row: Row): BoardChoice {
  const about = recordTitle(row);
  return { id: `application:${textField(row, 'id')}`, title: about, note: 'application', params: { about } };
}

function choiceOfView({ name, params }: SavedView): BoardChoice {
  const { board = '', tiles: _, ...rest } = params;
  return { id: board, title: name, note: 'own board', params: rest };
}

/** Models that alert rules refer to, in case the service does not list models. */
function modelsOfRules(rows: readonly Row[]): BoardChoice[] {
  const found = rows.map(readRule).filter(({ modelId }) => modelId !== '');
  const byId = new Map(found.map((rule) => [rule.modelId, rule]));
  return [...byId.values()].map(({ modelId, modelName, projectId }) => ({
    ...{ id: `model:${modelId}`, title: modelName || modelId, note: 'model' },
    params: { about: modelName || modelId, projectId },
  }));
}

/** Removes duplicates: records can lack ids or repeat them, and two saved views can be copies of one board. */
function distinct(choices: readonly BoardChoice[]): BoardChoice[] {
  const ids = new Set(['', 'model:', 'application:']);
  return choices.filter(({ id }) => !ids.has(id) && ids.add(id));
}

export class BoardChoices {
  readonly #models;
  readonly #applications;
  readonly #rules;

  readonly #isWithoutModels = $derived.by(
    () => this.#models.phase === 'failed' || (this.#models.isKnownEmpty && this.#models.narrow === ''),
  );
  readonly #own = $derived(
    app.views.list.filter(({ kind, params }) => kind === 'board' && isOwnBoard(params['board'] ?? '')),
  );
  readonly list: readonly BoardChoice[] = $derived.by(() =>
    distinct([
      ...this.#own.map(choiceOfView),
      ...this.#models.sample(MAX_ROWS).map(boardOfModel),
      ...(this.#isWithoutModels ? modelsOfRules(this.#rules.sample(MAX_ROWS)) : []),
      ...this.#applications.sample(MAX_ROWS).map(choiceOfApplication),
    ]),
  );
  /** Whether there is nothing to choose from and nothing is loading. */
  readonly isEmpty = $derived.by(
    () =>
      this.list.length === 0 &&
      [this.#models, this.#applications].every(
        (each) => each.phase === 'failed' || (each.phase === 'ready' && !isLoading(each)),
      ),
  );
  /** The reason why there is nothing to choose from. */
  readonly failure = $derived.by(() => {
    const { error, freshness } = this.#models.phase === 'failed' ? this.#models : this.#applications;
    return error ?? (freshness?.refresh.phase === 'failed' ? freshness.refresh.error : null);
  });
  /** The board that was shown last, otherwise the first one; null while it is unknown. */
  readonly usual: BoardChoice | null = $derived.by(() => {
    const last = readChoice(app.keep.get(LAST_KEY));
    // A board that was opened from a link or was deleted has no tiles to show.
    const isThere =
      last === null || !isOwnBoard(last.id) || this.#own.some((each) => each.params['board'] === last.id);
    if (last !== null && isThere) return last;
    const [first] = this.list;
    if (first === undefined || first.id.startsWith('model:') || isOwnBoard(first.id)) return first ?? null;
    // Models come before applications, so their list decides.
    return this.#isWithoutModels || (this.#models.phase === 'ready' && !isLoading(this.#models))
      ? first
      : null;
  });

  constructor(tabId: string) {
    this.#models = listOfTab(tabId, 'board-models');
    this.#applications = listOfTab(tabId, 'board-applications');
    this.#rules = listOfTab(tabId, 'board-rules');
    this.search('');
  }

  /** Opens the needed lists. Reactive. */
  open(): void {
    for (const [list, operation] of [
      [this.#models, 'models.list'],
      [this.#applications, 'applications.list'],
      ...(this.#isWithoutModels ? [[this.#rules, 'alert-rules.list'] as const] : []),
    ] as const)
      if (untrack(() => list.phase) === 'closed') void list.open({ operation, path: {}, query: {} });
  }
  /** Age of the list of models. */
  get freshness(): Freshness | null {
    return this.#models.freshness;
  }
  async refresh(): Promise<void> {
    await Promise.all([this.#models.refresh(), this.#applications.refresh()]);
  }
  /** Searches for further boards by name. */
  search(typed: string): void {
    this.#models.setTextFilter(typed);
    this.#applications.setTextFilter(typed);
  }
  note({ id, title, params }: Omit<BoardChoice, 'note'>): void {
    const { tiles: _, ...rest } = params;
    app.keep.set(LAST_KEY, { id, title, params: rest });
  }
}

const isLoading = ({ freshness }: Pick<ReturnType<typeof listOfTab>, 'freshness'>): boolean =>
  freshness?.refresh.phase === 'loading' && freshness.newestMs === null;

function readChoice(value: unknown): BoardChoice | null {
  if (!isObject(value) || !isObject(value['params'])) return null;
  const [id, title] = [textField(value, 'id'), textField(value, 'title')];
  if (id === '') return null;
  const texts = Object.entries(value['params']).filter(
    (each): each is [string, string] => typeof each[1] === 'string',
  );
  return { id, title: title || boardTitle(''), note: '', params: Object.fromEntries(texts) };
}
