/** A score run before it is started: kept with the tab, so that looking elsewhere loses nothing. */

import { freeRunName, usualRunName } from '../../../electron/shared/score-names.ts';
import type { JsonObject } from '../../lib/records.ts';
import { isObject, textField } from '../../lib/records.ts';
import {
  type DraftInput,
  type FieldChoice,
  inputsOf,
  suggestField,
  toInputs,
} from '../../lib/score-words.ts';
import { StartChoice } from '../../state/start-choice.svelte.ts';

export class ScoreDraft {
  /** Ids of chosen items; empty for all of the dataset. */
  itemIds = $state.raw<readonly string[]>([]);
  takesAll = $state(true);
  evaluatorId = $state('');
  evaluator = $state.raw<JsonObject | null>(null);
  inputs = $state<DraftInput[]>([]);
  parameters = $state('');
  /** As typed; null while the run takes its usual name. */
  typedTitle = $state<string | null>(null);
  readonly start = new StartChoice();

  readonly name = $derived(this.evaluator === null ? '' : textField(this.evaluator, 'name'));
  readonly usable = $derived(toInputs(this.inputs));

  /** What the run is called: as typed, else by its evaluator and fields, told apart from the names taken. */
  title(taken: readonly string[]): string {
    if (this.typedTitle !== null) return this.typedTitle;
    return this.name === ''
      ? ''
      : freeRunName(usualRunName({ evaluator: this.name, inputs: this.usable }), taken);
  }

  /** The rows a person had selected when they asked for scores. */
  take(itemIds: readonly string[]): void {
    this.itemIds = itemIds;
    this.takesAll = itemIds.length === 0;
  }

  choose(id: string, record: JsonObject | null, choices: readonly FieldChoice[]): void {
    this.evaluatorId = id;
    this.evaluator = record;
    this.inputs = inputsOf(record).map((input) => ({
      input,
      from: suggestField(input, choices),
      text: '',
    }));
  }

  /** What is chosen and not started; null where no evaluator is. */
  get draft(): JsonObject | null {
    if (this.evaluatorId === '' && this.parameters.trim() === '') return null;
    const { itemIds, takesAll, evaluatorId, evaluator, parameters, typedTitle } = this;
    return {
      itemIds,
      takesAll,
      evaluatorId,
      evaluator,
      parameters,
      typedTitle,
      inputs: $state.snapshot(this.inputs),
    };
  }

  takeDraft(value: JsonObject): void {
    const { itemIds, takesAll, evaluatorId, evaluator, inputs, parameters, typedTitle } = value;
    this.itemIds = Array.isArray(itemIds) ? itemIds.map(String) : [];
    this.takesAll = takesAll !== false || this.itemIds.length === 0;
    this.evaluatorId = typeof evaluatorId === 'string' ? evaluatorId : '';
    this.evaluator = isObject(evaluator) ? evaluator : null;
    this.parameters = typeof parameters === 'string' ? parameters : '';
    this.typedTitle = typeof typedTitle === 'string' ? typedTitle : null;
    this.inputs = (Array.isArray(inputs) ? inputs : []).filter(isObject).map((each) => ({
      input: textField(each, 'input'),
      from: textField(each, 'from'),
      text: textField(each, 'text'),
    }));
  }

  /** As it was before anything was chosen; the items stay. */
  reset(): void {
    this.evaluatorId = '';
    this.evaluator = null;
    this.inputs = [];
    this.parameters = '';
    this.typedTitle = null;
  }

  addInput(): void {
    this.inputs.push({ input: '', from: '', text: '' });
  }

  removeInput(index: number): void {
    this.inputs.splice(index, 1);
  }
}
