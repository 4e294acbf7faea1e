/** Which stored records the palette finds, and where each leads. */
import { entityTypeOf } from '../lib/catalog-filters.ts';
import { recordTitle, textField } from '../lib/records.ts';
import { app } from '../state/app.svelte.ts';
import type { PaletteSource, PaletteSources } from '../state/palette.svelte.ts';
import { openCatalog } from './resources/kinds/organizing.ts';
import { openRecord } from './resources/open.ts';
import { findResource } from './resources/registry.ts';

/** Applications lead to their catalog. */
const OTHERS = [
  'datasets',
  'models',
  'alert-rules',
  'projects',
  'environments',
  'baselines',
  'custom-metrics',
  'evaluators',
] as const;

const resources = OTHERS.flatMap((id): PaletteSource[] => {
  const resource = findResource(id);
  if (resource?.list == null) return [];
  return [
    {
      noun: resource.noun,
      query: { operation: resource.list.operation, path: {}, query: {} },
      open: (record) => openRecord(id, textField(record, 'id'), recordTitle(record)),
      isOffered: id === 'datasets',
    },
  ];
});

export const PALETTE_SOURCES: PaletteSources = {
  lists: [
    {
      noun: 'application',
      query: { operation: 'applications.list', path: {}, query: {} },
      open: openCatalog,
      isOffered: true,
    },
    ...resources,
  ],
  under: (application) => {
    const applicationId = textField(application, 'id');
    const applicationName = recordTitle(application);
    return {
      noun: `entity of ${applicationName}`,
      query: { operation: 'catalog.list', path: { application_id: applicationId }, query: {} },
      open: (record) => {
        const name = recordTitle(record);
        const entityType = entityTypeOf(record, '');
        app.tabs.open('values', name, { applicationId, applicationName, entityType, name });
      },
    };
  },
};
