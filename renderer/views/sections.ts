/**
 * The sidebar as data. A section has one or more places, which are lists and pages that its header switches between.
 * Projects and applications are opened from the title bar.
 */
import Activity from '@lucide/svelte/icons/activity';
import ChartLine from '@lucide/svelte/icons/chart-line';
import type { SectionPlaces } from '../components/section-places.ts';
import { waits } from '../lib/outbox-words.ts';
import { TAB_KINDS } from '../lib/tab-kinds.ts';
import { app } from '../state/app.svelte.ts';
import { jobs } from '../state/jobs.svelte.ts';
import type { Tab, TabKind } from '../state/tabs.svelte.ts';
import { uploads } from '../state/uploads.svelte.ts';
import { waitingList } from '../state/waiting-list.svelte.ts';
import type { Icon, SectionId } from './define-view.svelte.ts';
import { findResource } from './resources/registry.ts';
import { iconOf, VIEWS } from './views.ts';

interface Place {
  id: string;
  title: string;
  kind: TabKind;
  params?: Record<string, string>;
  /** Name of the place in the command that opens it; by default the title. */
  named?: string;
  /** Other words by which the palette finds the place. */
  keywords?: string;
}

export interface Section {
  id: SectionId;
  title: string;
  /** The places of the section. The sidebar opens the first one. */
  places: readonly [Place, ...Place[]];
  /** By default the icon of the first place. */
  icon?: Icon;
}

interface SectionGroup {
  /** Null if the group has no heading. */
  title: string | null;
  sections: readonly Section[];
}

function listOf(resource: string, keywords = ''): Place {
  const title = findResource(resource)?.title ?? resource;
  return { id: resource, title, kind: 'resources', params: { resource }, keywords };
}

/** A section with a single place of the same name. Views can add other places. */
const alone = (kind: TabKind & SectionId, title: string): Section => ({
  id: kind,
  title,
  places: [{ id: kind, title, kind }],
});

const PLACES_OF_VIEWS = TAB_KINDS.flatMap((kind) => {
  const { inSection, place } = VIEWS[kind];
  if (inSection === null || typeof place !== 'string') return [];
  return [{ ...inSection, id: place, kind }];
});

/** Adds the places that views define (`inSection`) to the end of their sections. */
const withPlacesOfViews = (declared: Section): Section => ({
  ...declared,
  places: [...declared.places, ...PLACES_OF_VIEWS.filter(({ section }) => section === declared.id)],
});

const GROUPS: readonly SectionGroup[] = [
  { title: null, sections: [alone('start', 'Home')] },
  {
    title: 'Explore',
    sections: [
      alone('spans', 'Spans'),
      alone('catalog', 'Catalog'),
      {
        id: 'datasets',
        title: 'Datasets',
        places: [
          { id: 'datasets', title: 'Datasets', kind: 'datasets' },
          listOf('experiments', 'runs evaluation results regression compare prompt versions'),
          {
            ...{ id: 'builds', title: 'Drafts', kind: 'builds', named: 'drafts of datasets' },
            keywords: 'datasets from spans baskets builds mapping continue',
          },
          listOf('evaluators', 'judge scorer metric prompt llm as a judge hallucination quality toxicity'),
          listOf('evaluator-rules', 'sampling dry run scored spans inputs mapping'),
        ],
      },
    ],
  },
  {
    title: 'Monitor',
    sections: [
      {
        id: 'models',
        title: 'Models',
        places: [
          listOf('models'),
          listOf('environments', 'production training pre-production data rows'),
          listOf('baselines', 'reference drift compare'),
          listOf('custom-metrics', 'formula definition kpi metric'),
          listOf('segments', 'cohort slice subgroup part of the rows'),
        ],
      },
      {
        id: 'alerts',
        title: 'Alerts',
        places: [
          { id: 'alert-rules', title: 'Alert rules', kind: 'alert-rules' },
          listOf('genai-alert-rules', 'alerts of applications genai traffic tokens latency attribute'),
        ],
      },
      {
        id: 'charts',
        title: 'Charts',
        icon: ChartLine,
        places: [{ id: 'charts', title: 'Boards', kind: 'board', keywords: 'dashboard tiles overview' }],
      },
    ],
  },
  {
    title: 'Work',
    sections: [
      alone('uploads', 'Uploads'),
      alone('sql', 'SQL'),
      {
        id: 'activity',
        title: 'Activity',
        icon: Activity,
        places: [
          { id: 'my-jobs', title: 'Jobs', kind: 'jobs' },
          { id: 'outbox', title: 'Outbox', kind: 'outbox' },
          {
            id: 'changes',
            title: 'Changes',
            kind: 'changes',
            keywords: 'history bulk edits audit what changed',
          },
          listOf('jobs', 'service jobs server background'),
        ],
      },
    ],
  },
];

export const SECTION_GROUPS: readonly SectionGroup[] = GROUPS.map(({ title, sections }) => ({
  title,
  sections: sections.map(withPlacesOfViews),
}));

/** Sections at the lower end of the sidebar. */
export const FOOT_SECTIONS: readonly Section[] = [
  alone('offline', 'Offline library'),
  alone('settings', 'Settings'),
].map(withPlacesOfViews);

/** Places that are opened from the title bar. */
const ORGANIZATION: Section = {
  id: 'organization',
  title: 'Projects and applications',
  places: [
    listOf('projects'),
    listOf('applications'),
    listOf('users', 'people members roles team'),
    listOf('access-keys', 'token expires rotate renew credential api key'),
  ],
};
/** The view with all search results. */
const SEARCH: Section = alone('search', 'Search');

const SECTIONS: readonly Section[] = [
  ...SECTION_GROUPS.flatMap(({ sections }) => sections),
  ...FOOT_SECTIONS,
  ORGANIZATION,
  SEARCH,
];
export const PLACES: readonly Place[] = SECTIONS.flatMap(({ places }) => places);

/** Numbers of things that wait for the user, as opposed to totals. Reactive. */
const WAITING: Readonly<Record<string, () => number>> = {
  start: () => waitingList.count,
  uploads: () => uploads.waiting.length,
  outbox: () => jobs.of('outbox').filter(waits).length,
};
const waitingAt = (place: string): number => WAITING[place]?.() ?? 0;
export const waitingIn = ({ places }: Section): number =>
  places.reduce((sum, { id }) => sum + waitingAt(id), 0);

export const iconOfSection = ({ icon, places: [first] }: Section): Icon =>
  icon ?? iconOf({ kind: first.kind, params: first.params ?? {} });

/** The section of a tab; null if it has none. */
export function sectionOf(tab: Tab): Section | null {
  const place = VIEWS[tab.kind].placeOf(tab);
  return SECTIONS.find(({ places }) => places.some(({ id }) => id === place)) ?? null;
}

/** Whether the tab shows the place itself, not a record of it. */
const isPlace = (tab: Tab, { kind, params = {} }: Place): boolean =>
  tab.kind === kind && Object.entries(params).every(([name, value]) => tab.params[name] === value);

/** The places that the header of a tab offers. Null if the tab shows a record, or its section has only one place. */
export function placesOf(tab: Tab): SectionPlaces | null {
  const section = sectionOf(tab);
  const current = section?.places.find((place) => isPlace(tab, place));
  if (section === null || current === undefined || section.places.length === 1) return null;
  return {
    title: section.title,
    current: current.id,
    places: section.places.map(({ id, title }) => ({ id, title, count: waitingAt(id) })),
    onopen: (id, isBeside) => {
      if (isBeside) app.tabs.openBeside(() => openPlace(id));
      else openPlace(id);
    },
  };
}

/** Opens a place, or the first place of a section. Uses the tab that already shows it, if any. */
export function openPlace(id: string): void {
  const place = PLACES.find((each) => each.id === id) ?? SECTIONS.find((each) => each.id === id)?.places[0];
  if (place !== undefined) app.tabs.openTop(place.kind, place.title, place.params);
}
