/** Opens boards, and provides the ids and titles of their tabs. */
import type { JsonObject } from '../../../electron/shared/json-body.ts';
import type { SavedView } from '../../../electron/shared/saved-view.ts';
import { isObject, recordTitle, referenceName, textField } from '../../lib/records.ts';
import { app } from '../../state/app.svelte.ts';
import { clock } from '../../state/clock.svelte.ts';

/** Parameters that are saved with a board, besides its id and its tiles. */
export const BOARD_PARAMS = ['about', 'projectId', 'time', 'compare'] as const;

const OWN = 'own:';
export const isOwnBoard = (id: string): boolean => id.startsWith(OWN);
export const ownBoardId = (): string => `${OWN}${crypto.randomUUID()}`;
export const boardTitle = (about: string): string => (about === '' ? 'Boards' : `${about} board`);

/** A board that can be chosen. */
export interface BoardChoice {
  id: string;
  title: string;
  /** The kind of board in one word. */
  note: string;
  params: Record<string, string>;
}

/** The board of a model, from the model's row in a list or its record. */
export function boardOfModel(row: Record<string, unknown>): BoardChoice {
  const id = textField(row, 'id');
  const project = isObject(row['project']) ? textField(row['project'], 'id') : '';
  const about = recordTitle(row);
  return {
    id: `model:${id}`,
    title: about,
    note: referenceName(row, 'version') || 'model',
    params: { about, projectId: project || textField(row, 'project_id') },
  };
}

/** Opens the board of a model, or activates the tab that already shows it. */
export function openModelBoard(record: Record<string, unknown>): void {
  const { id, title, params } = boardOfModel(record);
  const other = app.tabs.list.find((tab) => tab.kind === 'board' && tab.params['board'] === id);
  if (other === undefined) app.tabs.open('board', boardTitle(title), { ...params, board: id });
  else app.tabs.activate(other.id);
}

/** Shows another board in the tab, or activates the tab that already shows it. */
export function showBoard(tabId: string, { id, title, params }: Omit<BoardChoice, 'note'>): void {
  const wanted = { ...params, board: id };
  const other = app.tabs.list.find((tab) => tab.kind === 'board' && tab.params['board'] === id);
  if (other !== undefined && other.id !== tabId) app.tabs.activate(other.id);
  else app.tabs.update(tabId, { title, params: wanted });
}

export const openSavedBoard = (view: SavedView): void => app.views.open(view, clock.nowMs);

/** Opens a kept board by its id. `kept`: the content of the kept entry. */
export function openKeptBoard(id: string, name: string, kept: JsonObject | null): void {
  const given = Object.entries(isObject(kept?.['params']) ? kept['params'] : {});
  const params = Object.fromEntries(
    given.filter((each): each is [string, string] => typeof each[1] === 'string'),
  );
  app.tabs.open('board', name, { ...params, board: id });
}
