/** The definition of a resource of the service in the window, as a row of the registry. */
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

/** A list that belongs to a record and is shown as a part of it. */
export interface ListPart {
  kind: 'list';
  id: string;
  title: string;
  /** Id of the resource that the rows belong to. */
  resource: string;
  operation: string;
  path?: PathOf;
  /** Filter rules, needed if the operation also lists rows of other records. */
  scope?: (record: Row) => ScopeRule[];
  takes?: readonly ('search' | 'filter' | 'ordering')[];
  /** Initial values for the form of a new row. */
  start?: (record: Row) => Record<string, string>;
}

/** Rows that are inside the record, or inside another record with the same path. */
export interface TablePart {
  kind: 'table';
  id: string;
  title: string;
  noun: string;
  nouns?: string;
  /** The record to read instead, if the rows are not in the record itself. */
  source?: { operation: string; path: PathOf; choice?: TableChoice };
  rows: (record: Row) => readonly Row[];
  columns: readonly Column[];
  emptyText: string;
}

/** A query parameter for the source of a table, with a few choices. */
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
  /** Filter rules for the rows of a list that depend on the record. */
  scope?: (record: Row) => ScopeRule[];
  /** The number of dependent things, if the operation returns a record that contains it. */
  count?: (answer: Row) => number | null;
  say: (count: number) => string;
  /** Text to show while the number is unknown. */
  unknown?: string;
}

export interface Removal {
  operation: string;
  param: string;
  /** Things that are deleted together with the record. */
  goes: readonly string[];
  notes?: readonly string[];
  dependents?: readonly Dependents[];
  /** Whether several records can be deleted at once. */
  allowsBulk: boolean;
}

export interface Resource {
  id: string;
  /** The field that identifies a record; `id` by default. */
  idField?: string;
  title: string;
  noun: string;
  nouns: string;
  /** Whether the resource is missing in some services. A list that is refused as unknown then has its own message. */
  isOptional?: boolean;
  icon: Icon;
  /** Id of the sidebar section to highlight, if the resource has none. */
  section?: string;
  list: {
    operation: string;
    emptyText: string;
    typeChoices?: readonly string[];
    /** Parameters that the operation supports. By default all three. */
    takes?: readonly ('search' | 'filter' | 'ordering')[];
  } | null;
  /** Null if no operation reads a single record. It is then found in the list. */
  get: { operation: string; param: string | null } | null;
  columns: readonly Column[];
  known: readonly KnownField[];
  filterFields: readonly FilterField[];
  create?: {
    operation: string;
    fields: readonly FormField[];
    /** A part below the fields that helps to fill in one of them. */
    assist?: Component<{ tabId: string; model: FormModel }>;
    /** Whether a record can be copied into a new one. */
    allowsCopy?: boolean;
    note?: string;
    /** The change made from a body, if it needs more than the body. The body includes the other typed values. */
    requestOf?: (body: Row) => Act;
    /** Opens the next view, if that is not the new record. */
    leave?: (request: Act) => void;
    /** Opens the target of Cancel, for a form with these initial values. By default, the adjacent tab is shown. */
    back?: (start: Readonly<Record<string, string>>) => void;
  };
  update?: { operation: string; param: string; fields: readonly FormField[]; note?: string };
  remove?: Removal;
  parts: readonly Part[];
  /** Id of the part that a record opens with; by default its fields. */
  first?: (record: Row) => string;
  /** Links to other places than lists, e.g. to the catalog of an application. */
  links?: readonly { title: string; open: (record: Row) => void }[];
  /** Open the list and a record, if the resource has its own views. */
  home?: () => void;
  open?: (id: string, name: string) => void;
}

/** The properties of a list of records, whether in a tab or in a part of a record. */
export interface ListProps {
  tab: Tab;
  resource: Resource;
  list: ListModel;
  grid: GridModel;
  operation: string;
  path?: Record<string, string>;
  /** Fixed filter rules of the view that shows the list, e.g. only models of one project. */
  scope?: readonly ScopeRule[];
  takes?: readonly ('search' | 'filter' | 'ordering')[];
  prefix?: string;
  emptyText: string;
  /** Initial values for the form of a new row; null if no row can be created here. */
  start?: Record<string, string> | null;
}
