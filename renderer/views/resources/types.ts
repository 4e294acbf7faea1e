/** What the window knows of a resource of the service: a row of the registry. */
import type { Component } from 'svelte';
import type { FormModel } from '../../components/form/form-model.svelte.ts';
import type { KnownField } from '../../lib/field-list.ts';
import type { FilterField } from '../../lib/filter/fields.ts';
import type { FormField } from '../../lib/form/fields.ts';
import type { Column, Row } from '../../lib/grid/columns.ts';
import type { Act } from '../../state/outbox.ts';
import type { ScopeRule } from '../parts/listing.ts';

type Icon = Component<{ size?: number | string }>;
type PathOf = (record: Row) => Record<string, string>;

/** A list that belongs to a record, shown as a part of it. */
export interface ListPart {
  kind: 'list';
  id: string;
  title: string;
  /** Resource of its rows. */
  resource: string;
  operation: string;
  path?: PathOf;
  /** Where the operation lists more than what belongs to the record. */
  scope?: (record: Row) => ScopeRule[];
  takes?: readonly ('search' | 'filter' | 'ordering')[];
  /** Values that a new row's form starts with. */
  start?: (record: Row) => Record<string, string>;
}

/** Rows inside the record, or inside another record of the same path. */
export interface TablePart {
  kind: 'table';
  id: string;
  title: string;
  noun: string;
  nouns?: string;
  /** Read instead of the record itself. */
  source?: { operation: string; path: PathOf; choice?: TableChoice };
  rows: (record: Row) => readonly Row[];
  columns: readonly Column[];
  emptyText: string;
}

/** A query parameter of a table's source that is chosen among few. */
interface TableChoice {
  param: string;
  label: string;
  options: readonly { value: string; title: string }[];
}

export type Part = ListPart | TablePart;

/** What else hangs on a record, told before it is deleted. */
export interface Dependents {
  id: string;
  operation: string;
  path?: PathOf;
  /** Rows of a list that hang on the record. */
  scope?: (record: Row) => ScopeRule[];
  /** Their number, where the operation gives a record that says it. */
  count?: (answer: Row) => number | null;
  say: (count: number) => string;
  /** Said while their number is not known; nothing where not given. */
  unknown?: string;
}

export interface Removal {
  operation: string;
  param: string;
  /** What goes, besides the record itself. */
  goes: readonly string[];
  notes?: readonly string[];
  dependents?: readonly Dependents[];
  /** Several at once make sense. */
  allowsBulk: boolean;
}

export interface Resource {
  id: string;
  title: string;
  noun: string;
  nouns: string;
  icon: Icon;
  /** Line of the sidebar that is lit, where it is not its own. */
  section?: string;
  list: { operation: string; emptyText: string; typeChoices?: readonly string[] } | null;
  /** Null: no operation reads one; it is found in its list. */
  get: { operation: string; param: string | null } | null;
  columns: readonly Column[];
  known: readonly KnownField[];
  filterFields: readonly FilterField[];
  create?: {
    operation: string;
    fields: readonly FormField[];
    /** Under the fields: helps to fill one in. */
    assist?: Component<{ tabId: string; model: FormModel }>;
    /** A copy of a record begins as one like it. */
    allowsCopy?: boolean;
    note?: string;
    /** The change that a body makes, where it is more than the body; the values typed beside it. */
    requestOf?: (body: Row) => Act;
    /** Where one goes afterwards, where it is not the new record. */
    leave?: (request: Act) => void;
    /** Where Cancel leads, by the values the form started with; where not given, to the tab beside it. */
    back?: (start: Readonly<Record<string, string>>) => void;
  };
  update?: { operation: string; param: string; fields: readonly FormField[]; note?: string };
  remove?: Removal;
  parts: readonly Part[];
  /** Ways on that are no list: e.g. the catalog of an application. */
  links?: readonly { title: string; open: (record: Row) => void }[];
  /** The list and one record, where views of their own show them. */
  home?: () => void;
  open?: (id: string, name: string) => void;
}
