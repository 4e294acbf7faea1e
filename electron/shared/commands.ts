/**
 * Commands as data: the menu, the palette, the shortcut sheet and the tests read this table; the window maps each id to
 * an action. Keys are in the notation of tinykeys (`$mod` is Command on macOS, Control elsewhere).
 */
export const MENU_TITLES = {
  file: 'File',
  edit: 'Edit',
  view: 'View',
  window: 'Window',
  help: 'Help',
} as const;
export type MenuName = keyof typeof MENU_TITLES;

export interface CommandRow {
  id: string;
  title: string;
  keys: string | null;
  menu: MenuName | null;
  /** Additional search words for the palette. */
  keywords?: string;
}

export const COMMANDS = [
  { id: 'connection.new', title: 'Connect to a service…', keys: null, menu: 'file' },
  {
    id: 'connection.open-sample',
    title: 'Open sample workspace',
    keys: null,
    menu: 'file',
    keywords: 'demo example',
  },
  {
    id: 'pack.create',
    title: 'Create a pack…',
    keys: null,
    menu: 'file',
    keywords: 'export hand over share with a colleague send offline file passphrase redact',
  },
  {
    id: 'pack.open',
    title: 'Open a pack…',
    keys: null,
    menu: 'file',
    keywords: 'import hand over file passphrase offline',
  },
  {
    id: 'uploads.choose',
    title: 'Upload events from a file…',
    keys: '$mod+KeyO',
    menu: 'file',
    keywords: 'import send csv parquet excel jsonl publish new upload ingest rows',
  },
  {
    id: 'list.export',
    title: 'Export list…',
    keys: '$mod+Shift+KeyE',
    menu: 'file',
    keywords: 'save csv json jsonl parquet arrow feather file download spreadsheet pandas polars',
  },
  {
    id: 'mirror.write',
    title: 'Mirror for notebooks…',
    keys: null,
    menu: 'file',
    keywords: 'jupyter python pandas polars duckdb folder everything stored refresh',
  },
  {
    id: 'list.notebook',
    title: 'Copy notebook code',
    keys: null,
    menu: 'file',
    keywords: 'python pandas polars duckdb jupyter mirror list comparison sql result',
  },
  {
    id: 'views.list',
    title: 'Saved views…',
    keys: null,
    menu: 'view',
    keywords: 'bookmark filter columns star rename delete share',
  },
  {
    id: 'views.open-link',
    title: 'Open a view from a link…',
    keys: null,
    menu: 'view',
    keywords: 'paste shared spandeck link saved view',
  },
  { id: 'view.refresh', title: 'Refresh', keys: '$mod+KeyR', menu: 'view' },
  { id: 'view.toggle-sidebar', title: 'Show or hide sidebar', keys: '$mod+KeyB', menu: 'view' },
  { id: 'view.toggle-inspector', title: 'Show or hide inspector', keys: '$mod+KeyI', menu: 'view' },
  { id: 'view.close-tab', title: 'Close tab', keys: '$mod+KeyW', menu: 'view' },
  {
    id: 'view.theme',
    title: 'Switch light and dark',
    keys: null,
    menu: 'view',
    keywords: 'theme dark mode light mode colours appearance settings preferences',
  },
  {
    id: 'view.privacy',
    title: 'Toggle privacy mode',
    keys: '$mod+Shift+KeyP',
    menu: 'view',
    keywords: 'mask hide names hosts fields share screen presentation personal data pii blur',
  },
  {
    id: 'view.work-offline',
    title: 'Work offline',
    keys: '$mod+Shift+KeyO',
    menu: 'view',
    keywords: 'online network disconnect airplane train go offline',
  },
  // The first nine sections of the sidebar, in its order; Ctrl+0 resets the zoom.
  {
    id: 'go.start',
    title: 'Go to home',
    keys: '$mod+Digit1',
    menu: 'view',
    keywords: 'start overview recent stars waiting',
  },
  {
    id: 'go.spans',
    title: 'Go to spans',
    keys: '$mod+Digit2',
    menu: 'view',
    keywords:
      'traces sessions conversations errors failed slow latency llm calls last 24 hours time range annotate review verdict feedback thumbs why failed',
  },
  { id: 'go.catalog', title: 'Go to catalog', keys: '$mod+Digit3', menu: 'view', keywords: 'names entities' },
  {
    id: 'go.datasets',
    title: 'Go to datasets',
    keys: '$mod+Digit4',
    menu: 'view',
    keywords:
      'evaluation items golden examples add csv versions compare runs score scores review near-duplicates coverage ground truth correction corrections expected output annotate label human feedback report',
  },
  {
    id: 'go.models',
    title: 'Go to models',
    keys: '$mod+Digit5',
    menu: 'view',
    keywords: 'schema columns drift performance',
  },
  {
    id: 'go.alert-rules',
    title: 'Go to alerts',
    keys: '$mod+Digit6',
    menu: 'view',
    keywords: 'alert rules firing fired thresholds incidents report',
  },
  {
    id: 'go.charts',
    title: 'Go to charts',
    keys: '$mod+Digit7',
    menu: 'view',
    keywords: 'metrics plots graphs dashboard boards drift over time report',
  },
  {
    id: 'go.uploads',
    title: 'Go to uploads',
    keys: '$mod+Digit8',
    menu: 'view',
    keywords: 'events files receipts undo upload sent rows resume',
  },
  { id: 'go.sql', title: 'Go to SQL', keys: '$mod+Digit9', menu: 'view', keywords: 'query duckdb select' },
  {
    id: 'go.my-jobs',
    title: 'Go to activity',
    keys: '$mod+Shift+KeyA',
    menu: 'view',
    keywords:
      'my jobs running scheduled planned paused uploads scores changes progress status background what is going on',
  },
  { id: 'go.attributes', title: 'Go to attributes', keys: null, menu: 'view', keywords: 'catalog' },
  {
    id: 'go.projects',
    title: 'Go to projects',
    keys: null,
    menu: 'view',
    keywords: 'new project create add workspace',
  },
  {
    id: 'go.applications',
    title: 'Go to applications',
    keys: null,
    menu: 'view',
    keywords: 'new application create add app agent service',
  },
  {
    id: 'go.outbox',
    title: 'Go to outbox',
    keys: null,
    menu: 'view',
    keywords: 'offline changes waiting pending send conflict decide queue unsent',
  },
  {
    id: 'go.traffic',
    title: 'Go to requests',
    keys: null,
    menu: 'view',
    keywords:
      'traffic rate limit limits quota log network why waiting slow throttled 429 status requests used usage budget left',
  },
  {
    id: 'go.search',
    title: 'Go to search',
    keys: '$mod+Shift+KeyF',
    menu: 'view',
    keywords: 'find everything stored offline by id text lookup',
  },
  {
    id: 'go.offline',
    title: 'Go to offline library',
    keys: '$mod+Shift+KeyK',
    menu: 'view',
    keywords: 'kept keep space cache test gaps downloaded copies stored storage',
  },
  {
    id: 'go.settings',
    title: 'Settings',
    keys: '$mod+Comma',
    menu: 'file',
    keywords: 'preferences options configure',
  },
  {
    id: 'app.lock',
    title: 'Lock',
    keys: '$mod+Shift+KeyL',
    menu: 'file',
    keywords: 'app lock passphrase away privacy screen',
  },
  {
    id: 'app.set-lock',
    title: 'Set app lock…',
    keys: null,
    menu: 'file',
    keywords: 'passphrase security remove change lock touch id',
  },
  {
    id: 'go.health',
    title: 'Go to diagnostics',
    keys: null,
    menu: 'view',
    keywords:
      'health storage disk space size compact check repair damaged database self-check agents mcp claude assistant',
  },
  {
    id: 'tabs.back',
    title: 'Back',
    keys: '$mod+BracketLeft',
    menu: 'view',
    keywords: 'history previous view return',
  },
  {
    id: 'tabs.forward',
    title: 'Forward',
    keys: '$mod+BracketRight',
    menu: 'view',
    keywords: 'history next view',
  },
  { id: 'tabs.next', title: 'Next tab', keys: '$mod+PageDown', menu: 'window' },
  { id: 'tabs.previous', title: 'Previous tab', keys: '$mod+PageUp', menu: 'window' },
  { id: 'tabs.reopen', title: 'Reopen closed tab', keys: '$mod+Shift+KeyT', menu: 'window' },
  {
    id: 'tabs.split',
    title: 'Open this tab on the other side',
    keys: '$mod+Backslash',
    menu: 'window',
    keywords: 'split view side by side right left move two compare',
  },
  {
    id: 'tabs.other-side',
    title: 'Focus the other side',
    keys: '$mod+Shift+Backslash',
    menu: 'window',
    keywords: 'split focus right left',
  },
  {
    id: 'tabs.join',
    title: 'Merge both sides',
    keys: '$mod+Shift+KeyJ',
    menu: 'window',
    keywords: 'split close unsplit one side',
  },
  {
    id: 'comparison.review',
    title: 'Review the spans of the compared items',
    keys: null,
    menu: null,
    keywords: 'regressions experiments verdicts annotate',
  },
  {
    id: 'comparison.select',
    title: 'Select the spans of the compared items',
    keys: null,
    menu: null,
    keywords: 'regressions experiments basket pick',
  },
  {
    id: 'comparison.dataset',
    title: 'New dataset from the compared items…',
    keys: null,
    menu: null,
    keywords: 'regressions experiments copy subset',
  },
  { id: 'palette.open', title: 'Search everything…', keys: '$mod+KeyK', menu: 'help' },
  {
    id: 'help.shortcuts',
    title: 'Keyboard shortcuts',
    keys: '?',
    menu: 'help',
    keywords: 'help keys hotkeys bindings cheat sheet',
  },
  {
    id: 'help.logs',
    title: 'Open log folder',
    keys: null,
    menu: 'help',
    keywords: 'logs diagnostics support files errors bug report',
  },
  {
    id: 'help.about',
    title: 'About Spandeck',
    keys: null,
    menu: 'help',
    keywords: 'version licence license notices',
  },
] as const satisfies readonly CommandRow[];

export type CommandId = (typeof COMMANDS)[number]['id'];

const SIGNS: Readonly<Record<string, string>> = {
  Comma: ',',
  Period: '.',
  Slash: '/',
  Backslash: '\\',
  Semicolon: ';',
  Quote: "'",
  Backquote: '`',
  BracketLeft: '[',
  BracketRight: ']',
  Minus: '-',
  Equal: '=',
};

/** The label printed on a key: `K` for `KeyK`, `,` for `Comma`; the name itself for any other. */
export function keySign(key: string): string {
  return SIGNS[key] ?? key.replace(/^Key|^Digit/, '');
}
