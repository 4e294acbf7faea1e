/** Stored records that the palette suggests, and the tabs that its entries open. */
import { recordTitle, textField } from '../lib/records.ts';
import type { PaletteSources } from '../state/palette.svelte.ts';
import { openCatalog } from './resources/kinds/organizing.ts';
import { openRecord } from './resources/open.ts';
import { openHit, openSearch } from './search/open-hit.ts';
import { openSettings } from './settings/open-settings.ts';

export const PALETTE_SOURCES: PaletteSources = {
  offered: [
    {
      noun: 'application',
      query: { operation: 'applications.list', path: {}, query: {} },
      open: openCatalog,
    },
    {
      noun: 'dataset',
      query: { operation: 'datasets.list', path: {}, query: {} },
      open: (record) => openRecord('datasets', textField(record, 'id'), recordTitle(record)),
    },
  ],
  openHit,
  openSearch,
  openSettings,
};
