/** The form of a tile keeps the changes that are made to the board elsewhere while it is open. */
import { describe, expect, test } from 'vitest';
import type { SavedView } from '../../electron/shared/saved-view.ts';
import {
  type BoardTile,
  emptyTile,
  readTiles,
  tileOfChart,
  tilesText,
} from '../../renderer/lib/monitoring/board.ts';
import {
  type BoardGap,
  boardGaps,
  gapColumns,
  gapsText,
} from '../../renderer/views/monitoring/board/board-gaps.ts';
import { type EditStep, TileEdit } from '../../renderer/views/monitoring/board/tile-edit.svelte.ts';

function tile(id: string, title = id): BoardTile {
  const queries = [{ query_key: 'k', model_id: 'm', metric: id }];
  const body = { project_id: 'p', query_type: 'MONITORING', queries };
  return tileOfChart(id, { name: title, body, about: '', right: [] });
}
const STANDARD = [tile('a'), tile('b'), tile('c')];

/** A fake board that is saved at each change. */
class Board {
  saved: SavedView | null = null;
  steps: EditStep[] = [];

  get tiles(): readonly BoardTile[] {
    return this.saved === null ? STANDARD : (readTiles(this.saved.params['tiles'] ?? '') ?? []);
  }
  get titles(): string[] {
    return this.tiles.map(({ title }) => title);
  }
  view(tiles: readonly BoardTile[]): SavedView {
    return {
      ...{
        id: 'v',
        kind: 'board',
        title: 'Board',
        name: 'Board',
        isStarred: false,
        savedAtMs: 0,
        grid: null,
      },
      params: { ...this.saved?.params, tiles: tilesText(tiles) },
    };
  }
  async apply(step: EditStep): Promise<void> {
    this.saved = step.after;
    if (step.done !== null) this.steps.push(step);
  }
  put(tiles: readonly BoardTile[]): void {
    this.saved = this.view(tiles);
  }
  undo(): void {
    const step = this.steps.pop();
    if (step !== undefined) this.saved = step.before;
  }
}

function opened(id: string, board = new Board()) {
  const form = new TileEdit(board, () => board.tiles);
  const found = board.tiles.find((each) => each.id === id);
  form.open(found ?? tile(id), found === undefined);
  return { board, form };
}

describe('the form of a tile', () => {
  test('that is closed without changes saves nothing', async () => {
    const { board, form } = opened('a');
    expect(form.unsaved()).toBeNull();
    await form.close();
    expect([board.saved, board.steps]).toEqual([null, []]);
  });

  test('saves its change as one step, whose undo is the standard board again', async () => {
    const { board, form } = opened('a');
    form.change(tile('a', 'First'));
    form.change(tile('a', 'Second'));
    expect(board.saved).toBeNull();
    await form.close();
    expect(board.titles).toEqual(['Second', 'b', 'c']);
    expect(board.steps.map(({ done }) => done)).toEqual(['Changed “Second”']);
    board.undo();
    expect(board.saved).toBeNull();
  });

  test('keeps other changes that were made to the board meanwhile', async () => {
    const { board, form } = opened('a');
    form.change(tile('a', 'Mine'));
    board.put([tile('c'), tile('a'), tile('d')]);
    form.follow();
    await form.close();
    expect(board.titles).toEqual(['c', 'Mine', 'd']);
    board.undo();
    expect(board.titles).toEqual(['c', 'a', 'd']);
  });

  test('does not bring back a tile that was removed, or a board that was reset', async () => {
    const { board, form } = opened('a');
    form.change(tile('a', 'Mine'));
    board.put([tile('b'), tile('c')]);
    form.follow();
    expect(form.id).toBeNull();
    await form.close();
    expect(board.titles).toEqual(['b', 'c']);
    form.open(tile('b'), false);
    form.change(tile('b', 'Mine'));
    form.follow();
    board.saved = null;
    form.follow();
    await form.close();
    expect([board.saved, board.steps]).toEqual([null, []]);
  });

  test('writes an undone change only if it was stored, and records no step', async () => {
    const { board, form } = opened('a');
    form.change(tile('a', 'ab'));
    board.saved = form.unsaved();
    expect(board.titles[0]).toBe('ab');
    form.follow();
    form.change(tile('a'));
    await form.close();
    expect(board.titles[0]).toBe('a');
    expect(board.steps).toEqual([]);
  });

  test('shows the tile as it is now after an undo elsewhere, if nothing was changed in it', () => {
    const board = new Board();
    board.put([tile('a', 'Later'), tile('b')]);
    const { form } = opened('a', board);
    const { form: before } = form;
    board.put([tile('a', 'Earlier'), tile('b')]);
    form.follow();
    expect(form.start?.title).toBe('Earlier');
    expect(form.form).not.toBe(before);
    expect(form.unsaved()).toBeNull();
  });

  test('commits its change before another one, so that each is a step of its own', async () => {
    const { board, form } = opened('a');
    form.change(tile('a', 'Mine'));
    await form.commit();
    board.put([tile('b'), ...board.tiles.filter(({ id }) => id !== 'b')]);
    form.follow();
    form.change(tile('a', 'Mine too'));
    await form.close();
    expect(board.titles).toEqual(['b', 'Mine too', 'c']);
    expect(board.steps.map(({ done }) => done)).toEqual(['Changed “Mine”', 'Changed “Mine too”']);
    board.undo();
    expect(board.titles).toEqual(['b', 'Mine', 'c']);
  });

  test('adds a new tile once it can be requested, and nothing before', async () => {
    const board = new Board();
    board.put([]);
    const form = new TileEdit(board, () => board.tiles);
    form.open(emptyTile('new'), true);
    form.follow();
    expect(form.tiles().map(({ id }) => id)).toEqual(['new']);
    expect(form.unsaved()).toBeNull();
    await form.close();
    expect([board.titles, board.steps]).toEqual([[], []]);
    form.open(emptyTile('new'), true);
    form.change(tile('new', 'Traffic'));
    board.saved = form.unsaved();
    form.follow();
    await form.close();
    expect(board.titles).toEqual(['Traffic']);
    expect(board.steps.map(({ done }) => done)).toEqual(['Added “Traffic” to the board']);
    board.undo();
    expect(board.titles).toEqual([]);
  });

  test('keeps a new tile if an earlier action is undone, and saves it again', async () => {
    const board = new Board();
    board.put([tile('a'), tile('b')]);
    await board.apply({ done: 'Removed “b”', before: board.saved, after: board.view([tile('a')]) });
    const { form } = opened('new', board);
    form.change(tile('new', 'Mine'));
    board.saved = form.unsaved();
    form.follow();
    board.undo();
    form.follow();
    expect(form.id).toBe('new');
    board.saved = form.unsaved();
    form.follow();
    await form.close();
    expect(board.titles).toEqual(['a', 'b', 'Mine']);
    expect(board.steps.map(({ done }) => done)).toEqual(['Added “Mine” to the board']);
    board.undo();
    expect(board.titles).toEqual(['a', 'b']);
  });

  test('is saved when the view is left, as it was noted last, and only once', async () => {
    const { board, form } = opened('a');
    form.change(tile('a', 'Mine'));
    form.note();
    await form.leave();
    await form.leave();
    expect(board.titles).toEqual(['Mine', 'b', 'c']);
    expect(board.steps).toHaveLength(1);
  });
});

describe('what the picture and the table of a board lack', () => {
  const values = (change: object = {}) => ({
    ...{ tile: tile('a', 'Drift'), answer: { problems: [] }, hasValues: true, isAwaited: false },
    ...{ isLoading: false, isOffline: false, failure: null, isEarlierMissing: false, ...change },
  });
  const none = { answer: null, hasValues: false };

  test.each<[string, object, string]>([
    ['failed', { ...none, failure: { title: 'Connection refused' } }, 'Drift (connection refused)'],
    ['offline', { ...none, isOffline: true }, 'Drift (not available offline)'],
    ['slow', { isLoading: true, isAwaited: true }, 'Drift (not loaded in time)'],
    ['empty', { hasValues: false }, 'Drift (no values in this range)'],
    ['without its earlier period', { isEarlierMissing: true }, 'Drift (no values of the earlier period)'],
    [
      'partly failed',
      { answer: { problems: [{ key: 'k', name: 'JSD', text: 'No baseline.', isEmpty: false }] } },
      'Drift (JSD: No baseline)',
    ],
    [
      'with some columns',
      { tile: { ...tile('a', 'Drift'), whole: 300 } },
      'Drift (0 of 300 columns requested)',
    ],
  ])('names a tile that is %s', (_, change, text) => {
    const gaps = boardGaps([values(), values(change)]);
    expect(gapsText(gaps)).toBe(`Missing: ${text}.`);
    expect(gapColumns(gaps).map(({ name }) => name)).toEqual([text]);
  });

  test('is nothing if all values are there', () => {
    const gaps: BoardGap[] = boardGaps([values(), values()]);
    expect([gaps, gapsText(gaps), gapColumns(gaps)]).toEqual([[], '', []]);
  });
});
