import { isObject, type JsonObject, textField } from '../../../lib/records.ts';
import { parseEventIds, stampProblem } from '../../../lib/upload-words.ts';
import type { Draftable } from '../../../state/drafts.svelte.ts';
import { StartChoice } from '../../../state/start-choice.svelte.ts';
import type { DeletionRequest } from '../../../state/uploads-deletions.svelte.ts';

/** What one request may name. */
export const MOST_IDS = 100_000;

/** A deletion that is being filled in; kept while its tab is open. */
export class DeletionDraft implements Draftable {
  model = $state.raw<{ id: string; name: string } | null>(null);
  way = $state<'ids' | 'time'>('ids');
  idText = $state('');
  startTime = $state('');
  endTime = $state('');
  updateMetrics = $state(false);
  readonly start = new StartChoice();

  /** The model that stays after a deletion was asked for. */
  #modelBefore = $state('');

  /** What is typed and not asked for; null where nothing is. */
  get draft(): JsonObject | null {
    const { model, way, idText, startTime, endTime, updateMetrics, start } = this;
    const isModelNew = (model?.id ?? '') !== this.#modelBefore;
    if (!isModelNew && [idText, startTime, endTime].every((text) => text.trim() === '')) return null;
    const startText = start.when === 'later' ? start.text : '';
    return { model, way, idText, startTime, endTime, updateMetrics, when: start.when, startText };
  }

  takeDraft(value: JsonObject): void {
    const { model, way, updateMetrics, when } = value;
    this.model = isObject(model) ? { id: textField(model, 'id'), name: textField(model, 'name') } : null;
    this.way = way === 'time' ? 'time' : 'ids';
    this.idText = textField(value, 'idText');
    this.startTime = textField(value, 'startTime');
    this.endTime = textField(value, 'endTime');
    this.updateMetrics = updateMetrics === true;
    this.start.when = when === 'later' ? 'later' : 'now';
    this.start.text = textField(value, 'startText');
  }

  /** As it was before anything was typed. */
  reset(): void {
    this.model = null;
    this.clear();
  }

  readonly parsed = $derived(parseEventIds(this.idText));
  readonly startProblem = $derived(this.startTime === '' ? null : stampProblem(this.startTime.trim()));
  readonly endProblem = $derived.by(() => {
    if (this.endTime === '') return null;
    const problem = stampProblem(this.endTime.trim());
    if (problem !== null || this.startTime === '' || this.startProblem !== null) return problem;
    return this.endTime.trim() > this.startTime.trim() ? null : 'Expected a time after “From”.';
  });
  /** What keeps it from being asked for, or null. */
  readonly problem: string | null = $derived.by(() => {
    if (this.model === null) return 'No model is chosen.';
    if (this.way === 'ids') {
      if (this.parsed.ids.length === 0) return 'No event id is given.';
      return this.parsed.ids.length > MOST_IDS ? 'Too many event ids are given.' : null;
    }
    if (this.startTime === '' || this.endTime === '') return 'Both times are needed.';
    return this.startProblem ?? this.endProblem;
  });
  readonly request: DeletionRequest | null = $derived.by(() => {
    if (this.model === null || this.problem !== null) return null;
    const isByIds = this.way === 'ids';
    return {
      modelId: this.model.id,
      eventIds: isByIds ? this.parsed.ids : null,
      timeRange: isByIds ? null : { startTime: this.startTime.trim(), endTime: this.endTime.trim() },
      updateMetrics: !isByIds && this.updateMetrics,
      startAtMs: this.start.atMs,
    };
  });

  /** Asked for: what it named must not be asked for twice by accident. */
  clear(): void {
    this.#modelBefore = this.model?.id ?? '';
    this.idText = '';
    this.startTime = '';
    this.endTime = '';
    this.updateMetrics = false;
    this.start.clear();
  }
}
