/** A form as it is filled in. It lives as long as its tab, so that nothing typed is lost by looking elsewhere. */
import type { WireError } from '../../../electron/shared/errors.ts';
import {
  type FormField,
  type FormValue,
  type FormValues,
  formBody,
  startValues,
} from '../../lib/form/fields.ts';
import { type FormDraft, readFormDraft } from '../../lib/form/form-draft.ts';
import { isRefusal, placeRefusals } from '../../lib/form/refusals.ts';
import type { JsonObject } from '../../lib/records.ts';

interface FormStart {
  fields: readonly FormField[];
  /** Values at first; those of an empty form where not given. */
  values?: FormValues;
  /** A change of a record: only what differs is sent. */
  isChange?: boolean;
}

export class FormModel {
  readonly fields: readonly FormField[];
  readonly isChange: boolean;
  values = $state.raw<FormValues>({});
  /** JSON of fields that the form does not know. */
  other = $state('');
  /** Sending was tried: every problem shows, not only those of fields that were left. */
  isTried = $state(false);
  /** What the service answered to the last try. */
  error = $state.raw<WireError | null>(null);
  #before = $state.raw<FormValues>({});
  /** Values of the last try: what a refusal speaks of. */
  #sent = $state.raw<FormValues>({});
  #left = $state.raw<ReadonlySet<string>>(new Set());
  /** Fields changed since the last answer: what the service said of them is over. */
  #changed = $state.raw<ReadonlySet<string>>(new Set());

  readonly result = $derived.by(() =>
    formBody(this.fields, this.values, this.other, this.isChange ? this.#before : null),
  );
  readonly refusals = $derived.by(() =>
    this.error === null || !isRefusal(this.error)
      ? { byField: {}, rest: [] }
      : placeRefusals(this.error, this.fields, this.#sent),
  );
  readonly hasProblems = $derived.by(() => Object.keys(this.result.problems).length > 0);
  readonly isDirty = $derived.by(
    () => this.other.trim() !== '' || JSON.stringify(this.values) !== JSON.stringify(this.#before),
  );

  /** Sent, and no answer said that nothing came of it. */
  wasSent = $state(false);
  /** By name: what differs from the record. */
  readonly #differing = $derived.by(() =>
    Object.fromEntries(
      Object.entries(this.values).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(this.#before[name]),
      ),
    ),
  );
  /** What is typed, to be kept: of a change what differs, of a new record all of it. Null where there is nothing. */
  readonly draft = $derived.by((): JsonObject | null => {
    if (!this.isDirty) return null;
    const values = this.isChange ? this.#differing : this.values;
    const draft: FormDraft = { values, other: this.other, wasSent: this.wasSent };
    return { ...draft };
  });

  constructor({ fields, values, isChange = false }: FormStart) {
    this.fields = fields;
    this.isChange = isChange;
    this.values = values ?? startValues(fields);
    this.#before = this.values;
  }

  set(name: string, value: FormValue): void {
    this.values = { ...this.values, [name]: value };
    this.#changed = new Set([...this.#changed, name]);
  }

  leave(name: string): void {
    this.#left = new Set([...this.#left, name]);
  }

  /** What to say beside a field, or null. */
  problemOf(name: string): string | null {
    const said = this.#changed.has(name) ? undefined : this.refusals.byField[name];
    if (said !== undefined) return said;
    const own = this.result.problems[name];
    return own !== undefined && (this.isTried || this.#left.has(name)) ? own : null;
  }

  /** The body to send, or null where something has to be mended first. */
  submit(): Record<string, unknown> | null {
    this.isTried = true;
    this.#sent = this.values;
    if (this.hasProblems) return null;
    this.wasSent = true;
    return this.result.body;
  }

  /** An answer came: what it says stands beside its fields. */
  refuse(error: WireError | null): void {
    this.error = error;
    this.wasSent = error?.details.outcome === 'unknown';
    this.#changed = new Set();
  }

  /** What was typed before stands here again; what the form has no field for is left out. */
  takeDraft(draft: JsonObject): void {
    const { values, other, wasSent } = readFormDraft(this.fields, draft);
    this.values = { ...this.values, ...values };
    this.other = other;
    this.wasSent = wasSent;
  }

  /** The record came anew: what nobody has touched follows it, what was typed stays. */
  follow(fresh: FormValues): void {
    if (JSON.stringify(fresh) === JSON.stringify(this.#before)) return;
    const values = { ...fresh, ...this.#differing };
    this.#before = fresh;
    this.values = values;
  }

  /** The record was saved as it stands here, or it came anew while nothing was changed. */
  settle(values: FormValues = this.values): void {
    this.values = values;
    this.#before = values;
    this.other = '';
    this.isTried = false;
    this.wasSent = false;
    this.error = null;
    this.#left = new Set();
    this.#changed = new Set();
  }

  reset(): void {
    this.settle(this.#before);
  }
}
