/** A score run before it is started. It is stored with the tab, so that switching tabs loses nothing. */

import {
  CHECK_KINDS,
  checkName,
  SCORE_CHECKS,
  type ScoreCheck,
} from '../../../electron/shared/score-check.ts';
import { freeRunName, usualRunName } from '../../../electron/shared/score-names.ts';
import type { JsonObject } from '../../lib/records.ts';
import { isObject, textField } from '../../lib/records.ts';
import { type CheckFields, NO_RULES, readCheckFields, readRules } from '../../lib/score-check-fields.ts';
import {
  type DraftInput,
  type FieldChoice,
  inputsOf,
  NOTHING,
  suggestField,
  TEXT,
  toInputs,
} from '../../lib/score-words.ts';
import { StartChoice } from '../../state/start-choice.svelte.ts';

export class ScoreDraft {
  /** Ids of the chosen items; empty for the whole dataset. */
  itemIds = $state.raw<readonly string[]>([]);
  takesAll = $state(true);
  evaluatorId = $state('');
  evaluator = $state.raw<JsonObject | null>(null);
  inputs = $state<DraftInput[]>([]);
  parameters = $state('');
  /** The name that the user typed; null while the run has its default name. */
  typedTitle = $state<string | null>(null);
  readonly start = new StartChoice();

  /** The experiment whose results are checked; null for the items of the dataset. */
  experiment = $state.raw<{ id: string; name: string } | null>(null);
  #needsSources = false;
  /** Kind of a check that is computed on this computer; null for an evaluator of the service. */
  checkKind = $state<ScoreCheck['kind'] | null>(null);
  /** The fields of a check as typed. */
  rules = $state<CheckFields>({ ...NO_RULES });

  readonly check = $derived(this.checkKind === null ? null : readCheckFields(this.checkKind, this.rules));
  readonly name = $derived.by(() => {
    if (this.check !== null) return typeof this.check === 'string' ? '' : checkName(this.check);
    return this.evaluator === null ? '' : textField(this.evaluator, 'name');
  });
  readonly usable = $derived(toInputs(this.inputs));

  /** Name of the run: as typed, otherwise made from its evaluator and fields. Made unique among existing names. */
  title(taken: readonly string[]): string {
    if (this.typedTitle !== null) return this.typedTitle;
    return this.name === '' ? '' : freeRunName(usualRunName({ ...this.#named, inputs: this.usable }), taken);
  }

  get #named() {
    const { name: evaluator, experiment, checkKind } = this;
    return experiment === null || checkKind === null ? { evaluator } : { evaluator, experiment };
  }

  /** Chooses an experiment; null for the items of the dataset. The inputs get new sources once the fields are known. */
  chooseExperiment(experiment: { id: string; name: string } | null): void {
    this.experiment = experiment;
    this.#needsSources = true;
    for (const each of this.inputs) if (each.from !== TEXT) each.from = NOTHING;
  }

  /** After another experiment was chosen, gives each input the field that fits best. */
  suggestSources(choices: readonly FieldChoice[]): void {
    if (!this.#needsSources || choices.length === 0) return;
    this.#needsSources = false;
    for (const each of this.inputs) if (each.from === NOTHING) each.from = suggestField(each.input, choices);
  }

  /** Sets the rows that were selected when scores were requested. */
  take(itemIds: readonly string[]): void {
    this.itemIds = itemIds;
    this.takesAll = itemIds.length === 0;
  }

  /** Chooses a check; null for an evaluator of the service. */
  chooseCheck(kind: ScoreCheck['kind'] | null, choices: readonly FieldChoice[]): void {
    this.checkKind = kind;
    if (kind === null) this.experiment = null;
    this.evaluatorId = '';
    this.evaluator = null;
    this.inputs = (kind === null ? [] : SCORE_CHECKS[kind].inputs).map((input) => ({
      input,
      from: suggestField(input, choices),
      text: '',
    }));
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

  /** The choices to store as a draft; null if no evaluator is chosen. */
  get draft(): JsonObject | null {
    const isEmpty = this.evaluatorId === '' && this.parameters.trim() === '' && this.checkKind === null;
    if (isEmpty) return null;
    const { itemIds, takesAll, evaluatorId, evaluator, parameters, typedTitle, checkKind, experiment } = this;
    return {
      itemIds,
      takesAll,
      evaluatorId,
      evaluator,
      parameters,
      typedTitle,
      checkKind,
      experiment,
      rules: $state.snapshot(this.rules),
      inputs: $state.snapshot(this.inputs),
    };
  }

  takeDraft(value: JsonObject): void {
    const { itemIds, takesAll, evaluatorId, evaluator, inputs, parameters, typedTitle } = value;
    this.checkKind = CHECK_KINDS.find((kind) => kind === value['checkKind']) ?? null;
    const { experiment } = value;
    this.experiment = isObject(experiment)
      ? { id: textField(experiment, 'id'), name: textField(experiment, 'name') }
      : null;
    this.rules = readRules(value['rules']);
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
    this.checkKind = null;
    this.experiment = null;
    this.rules = { ...NO_RULES };
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
