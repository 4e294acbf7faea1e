import { MOST_DELETION_IDS } from '../../../../electron/shared/upload-model.ts';
import { parseReceipts } from '../../../lib/receipts-file.ts';
import { isObject, type JsonObject, textField } from '../../../lib/records.ts';
import { parseEventIds, stampProblem } from '../../../lib/upload-words.ts';
import type { Draftable } from '../../../state/drafts.svelte.ts';
import { StartChoice } from '../../../state/start-choice.svelte.ts';
import type { DeletionRequest } from '../../../state/uploads-deletions.svelte.ts';

/** A receipts file with so many ids is far smaller. */
const MOST_BYTES = 64_000_000;

/** A deletion that is being filled in; kept while its tab is open. */
export class DeletionDraft implements Draftable {
  model = $state.raw<{ id: string; name: string } | null>(null);
  way = $state<'ids' | 'time'>('ids');
  idText = $state('');
  startTime = $state('');
  endTime = $state('');
  updateMetrics = $state(false);
  readonly start = new StartChoice();
  /** The receipts file that was dropped here, with its text: the name holds as long as the text is that of the file. */
  #dropped = $state.raw<{ name: string; text: string } | null>(null);

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

  readonly receiptsName: string | null = $derived.by(() =>
    this.#dropped !== null && this.#dropped.text === this.idText ? this.#dropped.name : null,
  );

  /** Takes the event ids of a receipts file. False for any other file. */
  async takeFile(file: File): Promise<boolean> {
    if (file.size > MOST_BYTES) return false;
    const text = await file.text();
    if (parseReceipts(text) === null) return false;
    this.way = 'ids';
    this.idText = text;
    this.#dropped = { name: file.name, text };
    return true;
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
    if (this.model === null) return 'Choose a model.';
    if (this.way === 'ids') {
      if (this.parsed.ids.length === 0) return 'Enter at least one event id.';
      return this.parsed.ids.length > MOST_DELETION_IDS ? 'Too many event ids.' : null;
    }
    if (this.startTime === '' || this.endTime === '') return 'Enter both times.';
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
