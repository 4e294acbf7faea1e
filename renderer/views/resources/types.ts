/** Definition of a service resource in the window: a row of the registry. */
import type { Component } from 'svelte';
import type { FormModel } from '../../components/form/form-model.svelte.ts';
import type { GridModel } from '../../components/grid/grid-model.svelte.ts';
import type { KnownField } from '../../lib/field-list.ts';
import type { FilterField } from '../../lib/filter/fields.ts';
import type { FormField } from '../../lib/form/fields.ts';
import type { Column, Row } from '../../lib/grid/columns.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import type { Act } from '../../state/outbox.ts';
import type { Tab } from '../../state/tabs.svelte.ts';
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
  /** Filter rules, if the operation also lists rows of other records. */
  scope?: (record: Row) => ScopeRule[];
  takes?: readonly ('search' | 'filter' | 'ordering')[];
  /** Initial values of a new row's form. */
  start?: (record: Row) => Record<string, string>;
}

/** Rows inside the record, or inside another record of the same path. */
export interface TablePart {
  kind: 'table';
  id: string;
  title: string;
  noun: string;
  nouns?: string;
  /** Read in place of the record itself. */
  source?: { operation: string; path: PathOf; choice?: TableChoice };
  rows: (record: Row) => readonly Row[];
  columns: readonly Column[];
  emptyText: string;
}

/** A query parameter of a table's source with a few choices. */
interface TableChoice {
  param: string;
  label: string;
  options: readonly { value: string; title: string }[];
}

export type Part = ListPart | TablePart;

/** Things that depend on a record, shown before it is deleted. */
export interface Dependents {
  id: string;
  operation: string;
  path?: PathOf;
  /** Filter rules for the dependent rows of a list. */
  scope?: (record: Row) => ScopeRule[];
  /** Their number, if the operation returns a record that contains it. */
  count?: (answer: Row) => number | null;
  say: (count: number) => string;
  /** Shown while their number is unknown; optional. */
  unknown?: string;
}

export interface Removal {
  operation: string;
  param: string;
  /** Deleted together with the record. */
  goes: readonly string[];
  notes?: readonly string[];
  dependents?: readonly Dependents[];
  /** Whether deleting several at once makes sense. */
  allowsBulk: boolean;
}

export interface Resource {
  id: string;
  /** The field that identifies a record; `id` by default. */
  idField?: string;
  title: string;
  noun: string;
  nouns: string;
  /** Not every service offers it: a list refused as unknown has its own message. */
  isOptional?: boolean;
  icon: Icon;
  /** Highlighted sidebar line, if it is not the resource's own. */
  section?: string;
  list: {
    operation: string;
    emptyText: string;
    typeChoices?: readonly string[];
    /** Parameters that the operation supports; all three by default. */
    takes?: readonly ('search' | 'filter' | 'ordering')[];
  } | null;
  /** Null if no operation reads a record; it is then found in its list. */
  get: { operation: string; param: string | null } | null;
  columns: readonly Column[];
  known: readonly KnownField[];
  filterFields: readonly FilterField[];
  create?: {
    operation: string;
    fields: readonly FormField[];
    /** Shown below the fields: helps to fill one in. */
    assist?: Component<{ tabId: string; model: FormModel }>;
    /** A record can be copied into a new one. */
    allowsCopy?: boolean;
    note?: string;
    /** The change made from a body, if it is more than the body; includes the other typed values. */
    requestOf?: (body: Row) => Act;
    /** Opens the next view, if it is not the new record. */
    leave?: (request: Act) => void;
    /** Target of Cancel, by the initial values of the form; by default the adjacent tab. */
    back?: (start: Readonly<Record<string, string>>) => void;
  };
  update?: { operation: string; param: string; fields: readonly FormField[]; note?: string };
  remove?: Removal;
  parts: readonly Part[];
  /** The part that a record is opened for, by id; by default its fields. */
  first?: (record: Row) => string;
  /** Links that are not lists: e.g. the catalog of an application. */
  links?: readonly { title: string; open: (record: Row) => void }[];
  /** Opens the list and a record, if they have their own views. */
  home?: () => void;
  open?: (id: string, name: string) => void;
}

/** The properties of a list of records, in a tab or in a part of a record. */
export interface ListProps {
  tab: Tab;
  resource: Resource;
  list: ListModel;
  grid: GridModel;
  operation: string;
  path?: Record<string, string>;
  /** The place where the list is shown: the models of one project. */
  scope?: readonly ScopeRule[];
  takes?: readonly ('search' | 'filter' | 'ordering')[];
  prefix?: string;
  emptyText: string;
  /** Initial values of a new row's form; null if creation is not offered here. */
  start?: Record<string, string> | null;
}
