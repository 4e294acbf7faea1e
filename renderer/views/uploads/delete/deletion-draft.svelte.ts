import { whole } from '../../../../electron/shared/pieces.ts';
import { type ParsedIds, readEventIds, readReceipts } from '../../../../electron/shared/receipts-file.ts';
import { MAX_DELETION_IDS } from '../../../../electron/shared/upload-model.ts';
import { inPieces } from '../../../lib/in-pieces.ts';
import { isObject, type JsonObject, textField } from '../../../lib/records.ts';
import { stampProblem } from '../../../lib/upload-words.ts';
import type { Draftable } from '../../../state/drafts.svelte.ts';
import { StartChoice } from '../../../state/start-choice.svelte.ts';
import type { DeletionRequest } from '../../../state/uploads-deletions.svelte.ts';

/** Maximum size of a receipts file in bytes. A file with the maximum number of ids is far smaller. */
const MAX_BYTES = 64_000_000;
/** Maximum length of a text in the field, about 200 ids. Laying out a longer text would block the window. */
const MAX_TYPED_CHARS = 8_000;
const NO_IDS: ParsedIds = { ids: [], doubles: 0, receipts: null };

/** Ids from a long pasted text or a dropped file. */
interface HeldIds {
  text: string;
  /** Name of the file; null for a pasted text. */
  name: string | null;
  /** The ids; null while they are being read. */
  given: ParsedIds | null;
}

/** The form for a deletion. It is kept as long as its tab is open. */
export class DeletionDraft implements Draftable {
  model = $state.raw<{ id: string; name: string } | null>(null);
  by = $state<'ids' | 'time'>('ids');
  #typed = $state('');
  held = $state.raw<HeldIds | null>(null);
  startTime = $state('');
  endTime = $state('');
  updateMetrics = $state(false);
  readonly start = new StartChoice();
  get idText(): string {
    return this.held?.text ?? this.#typed;
  }

  set idText(text: string) {
    if (this.isTooLongToType(text.length)) this.#hold(text, null);
    else {
      this.held = null;
      this.#typed = text;
    }
  }

  isTooLongToType(characters: number): boolean {
    return characters > MAX_TYPED_CHARS;
  }

  #hold(text: string, name: string | null): void {
    this.#typed = '';
    const held: HeldIds = { text, name, given: null };
    this.held = held;
    void inPieces(readEventIds(text), () => this.held !== held).then((given) => {
      if (given !== null) this.held = { text, name, given };
    });
  }

  /** The model that stays chosen after a deletion was requested. */
  #modelBefore = $state('');

  /** Input for a deletion that was not requested yet; null if there is no input. */
  get draft(): JsonObject | null {
    const { model, by, idText, startTime, endTime, updateMetrics, start } = this;
    const isModelNew = (model?.id ?? '') !== this.#modelBefore;
    if (!isModelNew && [idText, startTime, endTime].every((text) => text.trim() === '')) return null;
    const startText = start.when === 'later' ? start.text : '';
    return { model, by, idText, startTime, endTime, updateMetrics, when: start.when, startText };
  }

  takeDraft(value: JsonObject): void {
    // Earlier versions stored `by` as `way`.
    const { model, by = value['way'], updateMetrics, when } = value;
    this.model = isObject(model) ? { id: textField(model, 'id'), name: textField(model, 'name') } : null;
    this.by = by === 'time' ? 'time' : 'ids';
    this.idText = textField(value, 'idText');
    this.startTime = textField(value, 'startTime');
    this.endTime = textField(value, 'endTime');
    this.updateMetrics = updateMetrics === true;
    this.start.when = when === 'later' ? 'later' : 'now';
    this.start.text = textField(value, 'startText');
  }

  /** Discards all input. */
  reset(): void {
    this.model = null;
    this.clear();
  }

  /** Reads the event ids in a receipts file. Returns false if the file is not one. */
  async takeFile(file: File): Promise<boolean> {
    if (file.size > MAX_BYTES) return false;
    const text = await file.text();
    if ((await inPieces(readReceipts(text), () => false)) === null) return false;
    this.by = 'ids';
    this.#hold(text, file.name);
    return true;
  }

  readonly parsed: ParsedIds = $derived(
    this.held === null ? whole(readEventIds(this.#typed)) : (this.held.given ?? NO_IDS),
  );
  readonly startProblem = $derived(this.startTime === '' ? null : stampProblem(this.startTime.trim()));
  readonly endProblem = $derived.by(() => {
    if (this.endTime === '') return null;
    const problem = stampProblem(this.endTime.trim());
    if (problem !== null || this.startTime === '' || this.startProblem !== null) return problem;
    return this.endTime.trim() > this.startTime.trim() ? null : 'Expected a time after “From”.';
  });
  /** The reason why the deletion cannot be requested; null if it can. */
  readonly problem: string | null = $derived.by(() => {
    if (this.model === null) return 'Choose a model.';
    if (this.by === 'ids') {
      if (this.held !== null && this.held.given === null) return 'The event ids are being read.';
      if (this.parsed.ids.length === 0) return 'Enter at least one event id.';
      return this.parsed.ids.length > MAX_DELETION_IDS ? 'Too many event ids.' : null;
    }
    if (this.startTime === '' || this.endTime === '') return 'Enter both times.';
    return this.startProblem ?? this.endProblem;
  });
  readonly request: DeletionRequest | null = $derived.by(() => {
    if (this.model === null || this.problem !== null) return null;
    const isByIds = this.by === 'ids';
    return {
      modelId: this.model.id,
      eventIds: isByIds ? this.parsed.ids : null,
      timeRange: isByIds ? null : { startTime: this.startTime.trim(), endTime: this.endTime.trim() },
      updateMetrics: !isByIds && this.updateMetrics,
      startAtMs: this.start.atMs,
    };
  });

  /** To be called when the deletion was requested: clears the ids, so that they are not requested twice by accident. */
  clear(): void {
    this.#modelBefore = this.model?.id ?? '';
    this.idText = '';
    this.startTime = '';
    this.endTime = '';
    this.updateMetrics = false;
    this.start.clear();
  }
}
