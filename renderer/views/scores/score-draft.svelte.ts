/** A score run before it is started: stored with the tab, so that nothing is lost by switching tabs. */

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
  /** Ids of chosen items; empty for the whole dataset. */
  itemIds = $state.raw<readonly string[]>([]);
  takesAll = $state(true);
  evaluatorId = $state('');
  evaluator = $state.raw<JsonObject | null>(null);
  inputs = $state<DraftInput[]>([]);
  parameters = $state('');
  /** The typed name; null while the run has its default name. */
  typedTitle = $state<string | null>(null);
  readonly start = new StartChoice();

  readonly name = $derived(this.evaluator === null ? '' : textField(this.evaluator, 'name'));
  readonly usable = $derived(toInputs(this.inputs));

  /** Name of the run: as typed, otherwise from its evaluator and fields, made unique among existing names. */
  title(taken: readonly string[]): string {
    if (this.typedTitle !== null) return this.typedTitle;
    return this.name === ''
      ? ''
      : freeRunName(usualRunName({ evaluator: this.name, inputs: this.usable }), taken);
  }

  /** The rows that were selected when scores were requested. */
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

  /** The choices before the start; null if no evaluator is chosen. */
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

  /** Resets all choices except the items. */
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
