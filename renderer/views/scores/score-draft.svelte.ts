/** A score run before it is started: kept with the tab, so that looking elsewhere loses nothing. */

import type { JsonObject } from '../../lib/records.ts';
import { textField } from '../../lib/records.ts';
import {
  type DraftInput,
  type FieldChoice,
  inputsOf,
  suggestField,
  toInputs,
} from '../../lib/score-words.ts';

export class ScoreDraft {
  /** Ids of chosen items; empty for all of the dataset. */
  itemIds = $state.raw<readonly string[]>([]);
  takesAll = $state(true);
  evaluatorId = $state('');
  evaluator = $state.raw<JsonObject | null>(null);
  inputs = $state<DraftInput[]>([]);
  parameters = $state('');

  readonly name = $derived(this.evaluator === null ? '' : textField(this.evaluator, 'name'));
  readonly usable = $derived(toInputs(this.inputs));

  /** The rows a person had selected when they asked for scores. */
  take(itemIds: readonly string[]): void {
    this.itemIds = itemIds;
    this.takesAll = itemIds.length === 0;
  }

  choose(id: string, record: JsonObject | null, choices: readonly FieldChoice[]): void {
    this.evaluatorId = id;
    this.evaluator = record;
    this.inputs = inputsOf(record).map((input) => ({ input, from: suggestField(input, choices), text: '' }));
  }

  addInput(): void {
    this.inputs.push({ input: '', from: '', text: '' });
  }

  removeInput(index: number): void {
    this.inputs.splice(index, 1);
  }
}
