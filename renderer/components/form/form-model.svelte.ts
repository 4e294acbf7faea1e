/** A form being filled in. It exists as long as its tab, so that switching tabs loses no input. */
import type { WireError } from '../../../electron/shared/errors.ts';
import {
  changeText,
  type FormField,
  type FormValue,
  type FormValues,
  formBody,
  isSameSent,
  isShown,
  startValues,
} from '../../lib/form/fields.ts';
import { type FormDraft, readFormDraft } from '../../lib/form/form-draft.ts';
import { isFormError, placeErrors } from '../../lib/form/service-errors.ts';
import { formatNumber } from '../../lib/format.ts';
import type { JsonObject } from '../../lib/records.ts';

const isSame = (one: FormValue | undefined, other: FormValue | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Maximum number of changed fields that are named. */
const MAX_NAMED = 4;

interface FormStart {
  fields: readonly FormField[];
  /** Initial values; by default those of an empty form. */
  values?: FormValues;
  /** JSON objects of a new record whose keys can be filled in, by the name of the field. */
  blanks?: Readonly<Record<string, string>>;
  /** Whether the form edits a record, so that only differences are sent. */
  isChange?: boolean;
}

export class FormModel {
  readonly fields: readonly FormField[];
  readonly isChange: boolean;
  readonly blanks: Readonly<Record<string, string>>;
  values = $state.raw<FormValues>({});
  /** JSON text of fields that the form does not know. */
  other = $state('');
  /** Whether the user tried to send. Then all problems are shown, and not only those of fields that lost the focus. */
  isTried = $state(false);
  /** Error of the last attempt to send. */
  error = $state.raw<WireError | null>(null);
  #before = $state.raw<FormValues>({});
  /** Whether the values of the edited record are known. */
  #hasRecord: boolean;
  /** Values of the last attempt to send, which its error refers to. */
  #sent = $state.raw<FormValues>({});
  /** The record's values when its fields were changed here. */
  #seen = $state.raw<FormValues>({});
  #left = $state.raw<ReadonlySet<string>>(new Set());
  /** Names of fields of a new record that the user set, even to the proposed value. They ignore later proposals. */
  #chosen = $state.raw<ReadonlySet<string>>(new Set());
  /** Names of fields that changed since the last error. Its messages about them no longer apply. */
  #changed = $state.raw<ReadonlySet<string>>(new Set());

  readonly result = $derived.by(() =>
    formBody(this.fields, this.values, this.other, this.isChange ? this.#before : null),
  );
  readonly fieldErrors = $derived.by(() =>
    this.error === null || !isFormError(this.error)
      ? { byField: {}, rest: [] }
      : placeErrors(this.error, this.fields, this.#sent),
  );
  /**
   * Changes of the record in fields with input, since the input began: sentences by the name of the field. Nothing can be
   * sent until the user decided about them.
   */
  readonly conflicts = $derived.by((): Readonly<Record<string, string>> => {
    const [seen, before] = [this.#seen, this.#before];
    const found = this.fields.flatMap((field) => {
      const [was, now, own] = [seen[field.name], before[field.name], this.values[field.name]];
      if (was === undefined || now === undefined || own === undefined || !isShown(field, this.values))
        return [];
      if (isSameSent(field, was, now) || isSameSent(field, own, now)) return [];
      return [[field.name, `Changed at the service meanwhile: ${changeText(field, was, now)}.`] as const];
    });
    return Object.fromEntries(found);
  });
  readonly hasProblems = $derived.by(
    () => Object.keys({ ...this.result.problems, ...this.conflicts }).length > 0,
  );
  readonly isDirty = $derived.by(
    () => this.other.trim() !== '' || JSON.stringify(this.values) !== JSON.stringify(this.#before),
  );

  /** Whether the form was sent and is not known to have failed. */
  wasSent = $state(false);
  /** Names of fields that differ from the record. */
  readonly #differing = $derived.by(() =>
    Object.fromEntries(
      Object.entries(this.values).filter(([name, value]) => !isSame(value, this.#before[name])),
    ),
  );
  /** Input to store as a draft: only differences for an edit, everything for a new record. Null if there is none. */
  readonly draft = $derived.by((): JsonObject | null => {
    if (!this.isDirty) return null;
    const values = this.isChange ? this.#differing : this.values;
    const seen = Object.fromEntries(Object.entries(this.#seen).filter(([name]) => name in this.#differing));
    const draft: FormDraft = { values, seen, other: this.other, wasSent: this.wasSent };
    return { ...draft };
  });

  /** Names the changed fields of a record. */
  get inputText(): string | undefined {
    const changed = this.fields.filter(({ name }) => this.isChange && name in this.#differing);
    if (changed.length === 0) return undefined;
    const labels = changed.map(({ label }) => label).join(', ');
    return `changed fields (${changed.length > MAX_NAMED ? formatNumber(changed.length) : labels})`;
  }

  constructor({ fields, values, blanks = {}, isChange = false }: FormStart) {
    this.fields = fields;
    this.blanks = blanks;
    this.isChange = isChange;
    this.values = values ?? startValues(fields);
    this.#before = this.values;
    this.#hasRecord = values !== undefined;
  }

  set(name: string, value: FormValue): void {
    const before = this.#before[name];
    if (this.isChange && before !== undefined) this.#seen = { [name]: before, ...this.#seen };
    this.values = { ...this.values, [name]: value };
    this.#changed = new Set([...this.#changed, name]);
    this.#chosen = new Set([...this.#chosen, name]);
  }

  /** Sets a field to the value that `follow` proposed. From then on it follows later proposals. */
  takeProposal(name: string): void {
    this.set(name, this.#before[name] ?? '');
    this.#chosen = new Set([...this.#chosen].filter((each) => each !== name));
  }

  /** Keeps the input of a field although the record changed. */
  keepOwn(name: string): void {
    this.#seen = { ...this.#seen, [name]: this.#before[name] ?? '' };
  }

  /** Replaces the input of a field by the changed value of the record. */
  takeTheirs(name: string): void {
    this.set(name, this.#before[name] ?? '');
    this.keepOwn(name);
  }

  /**
   * To be called when the focus left a field. A field in which nothing was typed may stay empty until the form is sent.
   */
  leave(name: string): void {
    if (this.fields.some((field) => field.name === name) && !this.#chosen.has(name)) return;
    this.#left = new Set([...this.#left, name]);
  }

  /** The problem to show beside a field; null if there is none. */
  problemOf(name: string): string | null {
    const said = this.#changed.has(name) ? undefined : this.fieldErrors.byField[name];
    if (said !== undefined) return said;
    const conflict = this.conflicts[name];
    if (conflict !== undefined) return conflict;
    const own = this.result.problems[name];
    return own !== undefined && (this.isTried || this.#left.has(name)) ? own : null;
  }

  /** Returns the body to send; null if something must be corrected first. */
  submit(): Record<string, unknown> | null {
    this.isTried = true;
    this.#sent = this.values;
    if (this.hasProblems) return null;
    this.wasSent = true;
    return this.result.body;
  }

  /** Shows the messages of a response beside their fields. */
  refuse(error: WireError | null): void {
    this.error = error;
    this.wasSent = error?.details.outcome === 'unknown';
    this.#changed = new Set();
  }

  /** Restores earlier input. Values without a field are ignored. */
  takeDraft(draft: JsonObject): void {
    const { values, seen, other, wasSent } = readFormDraft(this.fields, draft);
    if (this.isChange) this.#seen = { ...this.#seen, ...seen };
    // Until the record is known, input that only empties fields would equal the empty form.
    if (this.isChange && !this.#hasRecord) this.#before = { ...this.#before, ...seen };
    this.values = { ...this.values, ...values };
    const typed = Object.keys(values).filter((name) => values[name] !== '');
    this.#chosen = new Set([...this.#chosen, ...typed]);
    this.other = other;
    this.wasSent = wasSent;
  }

  /**
   * To be called when the record was reloaded, or other values are proposed. Unchanged fields are updated; edited ones
   * keep their value, and are among the `conflicts` if their value in the record changed.
   */
  follow(fresh: FormValues): void {
    this.#hasRecord = true;
    if (JSON.stringify(fresh) === JSON.stringify(this.#before)) return;
    const chosen = Object.entries(this.values).filter(([name]) => !this.isChange && this.#chosen.has(name));
    const values = { ...fresh, ...this.#differing, ...Object.fromEntries(chosen) };
    // Drafts that earlier versions stored have no seen values.
    if (this.isChange)
      this.#seen = Object.fromEntries(
        Object.keys(this.#differing).map((name) => [name, this.#seen[name] ?? fresh[name] ?? '']),
      );
    this.#before = fresh;
    this.values = values;
  }

  /** To be called when the record was saved with these values, or was reloaded while nothing was edited. */
  settle(values: FormValues = this.values): void {
    this.values = values;
    this.#before = values;
    this.other = '';
    this.isTried = false;
    this.wasSent = false;
    this.error = null;
    this.#left = new Set();
    this.#changed = new Set();
    this.#chosen = new Set();
    this.#seen = {};
  }

  reset(): void {
    this.settle(this.#before);
  }
}
