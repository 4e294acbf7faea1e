import Boxes from '@lucide/svelte/icons/boxes';
import Braces from '@lucide/svelte/icons/braces';
import Database from '@lucide/svelte/icons/database';
import FlaskConical from '@lucide/svelte/icons/flask-conical';
import ListTree from '@lucide/svelte/icons/list-tree';
import Tag from '@lucide/svelte/icons/tag';
import Upload from '@lucide/svelte/icons/upload';
import Waypoints from '@lucide/svelte/icons/waypoints';
import type { Component } from 'svelte';
import type { SearchKind } from '../../../electron/shared/search-contract.ts';

export const KIND_ICONS: Readonly<Record<SearchKind, Component<{ size?: number | string }>>> = {
  names: Braces,
  attributes: ListTree,
  resources: Boxes,
  uploads: Upload,
  items: Database,
  results: FlaskConical,
  spans: Waypoints,
  values: Tag,
};
